#include "base/file.h"

#include <gtest/gtest.h>
#include <sys/resource.h>

#include <csignal>

#include "base/error.h"
#include "tests/base/temporary_folder.h"
#include "tests/base/throws.h"

namespace frostline::base {
namespace {

namespace fs = std::filesystem;

/// While it lives, no file of the process may grow beyond `bytes`: a stand-in for a full disk.
class FileSizeLimit {
 public:
  explicit FileSizeLimit(rlim_t bytes) : handler_(std::signal(SIGXFSZ, SIG_IGN)) {
    ::getrlimit(RLIMIT_FSIZE, &before_);
    const rlimit limit{bytes, before_.rlim_max};
    ::setrlimit(RLIMIT_FSIZE, &limit);
  }
  ~FileSizeLimit() {
    ::setrlimit(RLIMIT_FSIZE, &before_);
    std::signal(SIGXFSZ, handler_);
  }
  FileSizeLimit(const FileSizeLimit&) = delete;
  FileSizeLimit& operator=(const FileSizeLimit&) = delete;

 private:
  rlimit before_{};
  void (*handler_)(int);
};

class FileTest : public testing::Test {
 protected:
  bool has_partial() const { return fs::exists(path_.string() + ".partial"); }

  TemporaryFolder folder_;
  fs::path path_ = folder_ / "file";
};

TEST_F(FileTest, RefusesADeviceThatNeverEnds) {
  EXPECT_EQ(message_of([] { read_file("/dev/zero"); }), "/dev/zero: is a device; give a file");
}

TEST_F(FileTest, ReadsWhatWasWritten) {
  const std::string bytes = std::string(200'000, 'x') + '\0' + "\n";
  write_file_atomically(path_, bytes);
  EXPECT_EQ(read_file(path_), bytes);
  write_file_atomically(path_, "");
  EXPECT_EQ(read_file(path_), "");
  EXPECT_FALSE(has_partial());
}

TEST_F(FileTest, WritesInPieces) {
  AtomicFile file(path_);
  file.write("a");
  file.write("b");
  EXPECT_FALSE(fs::exists(path_));
  file.commit();
  EXPECT_EQ(read_file(path_), "ab");
}

TEST_F(FileTest, WithoutCommitTheOldFileStands) {
  write_file_atomically(path_, "old");
  {
    AtomicFile file(path_);
    file.write("new");
    EXPECT_TRUE(has_partial());
  }
  EXPECT_EQ(read_file(path_), "old");
  EXPECT_FALSE(has_partial());
}

TEST_F(FileTest, OverwritesTheRestOfAnEarlierCrash) {
  write_file_atomically(path_.string() + ".partial", "a long rest");
  write_file_atomically(path_, "new");
  EXPECT_EQ(read_file(path_), "new");
}

TEST_F(FileTest, AFullDiskLeavesTheOldFile) {
  write_file_atomically(path_, "old");
  const std::string message = message_of([&] {
    const FileSizeLimit limit(1000);
    write_file_atomically(path_, std::string(100'000, 'x'));
  });
  EXPECT_EQ(message, path_.string() + ": cannot be written: File too large");
  EXPECT_EQ(read_file(path_), "old");
  EXPECT_FALSE(has_partial());
}

TEST_F(FileTest, AMissingFolderIsAnError) {
  const fs::path path = folder_ / "missing/file";
  EXPECT_EQ(message_of([&] { write_file_atomically(path, ""); }),
            path.string() + ": cannot be written: No such file or directory");
  EXPECT_EQ(message_of([&] { read_file(path); }),
            path.string() + ": cannot be opened: No such file or directory");
}

TEST_F(FileTest, AFolderIsNoFile) {
  fs::create_directory(path_);
  EXPECT_EQ(message_of([&] { write_file_atomically(path_, "x"); }),
            path_.string() + ": cannot be replaced: Is a directory");
  EXPECT_EQ(message_of([&] { read_file(path_); }),
            path_.string() + ": cannot be read: Is a directory");
  EXPECT_FALSE(has_partial());
}

TEST_F(FileTest, WritesIntoTheCurrentFolder) {
  const fs::path before = fs::current_path();
  fs::current_path(folder_.path());
  write_file_atomically("file", "x");
  fs::current_path(before);
  EXPECT_EQ(read_file(path_), "x");
}

}  // namespace
}  // namespace frostline::base
