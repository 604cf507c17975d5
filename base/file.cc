#include "base/file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cassert>
#include <cerrno>
#include <cstring>
#include <utility>

#include "base/error.h"

namespace frostline::base {
namespace {

/// To be called before anything else changes errno.
[[noreturn]] void fail(const std::filesystem::path& path, const std::string& what) {
  const std::string reason = std::strerror(errno);
  throw Error({path.string()}, what + ": " + reason);
}

/// Repeats a system call that a signal cuts short.
template <class Call>
auto persistently(Call call) {
  auto result = call();
  while (result == -1 && errno == EINTR) result = call();
  return result;
}

class Descriptor {
 public:
  Descriptor(const std::filesystem::path& path, int flags)
      : value_(persistently([&] { return ::open(path.c_str(), flags | O_CLOEXEC); })) {}
  ~Descriptor() {
    if (is_open()) ::close(value_);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;

  bool is_open() const { return value_ != -1; }
  int value() const { return value_; }

 private:
  int value_;
};

/// Without this a crash of the system could forget a rename.
void flush_folder_of(const std::filesystem::path& path) {
  const std::filesystem::path parent = path.parent_path();
  const std::filesystem::path folder = parent.empty() ? "." : parent;
  const Descriptor descriptor(folder, O_RDONLY | O_DIRECTORY);
  const bool flushed =
      descriptor.is_open() && persistently([&] { return ::fsync(descriptor.value()); }) == 0;
  if (!flushed) fail(path, "its folder cannot be flushed to disk");
}

/// Some, such as /dev/zero, never end.
void refuse_device(const std::filesystem::path& path, int descriptor) {
  struct stat status{};
  if (::fstat(descriptor, &status) == -1) fail(path, "cannot be read");
  if (S_ISCHR(status.st_mode) || S_ISBLK(status.st_mode))
    throw Error({path.string()}, "is a device; give a file");
}

}  // namespace

std::string read_file(const std::filesystem::path& path) {
  const Descriptor descriptor(path, O_RDONLY);
  if (!descriptor.is_open()) fail(path, "cannot be opened");
  refuse_device(path, descriptor.value());
  std::string contents;
  std::array<char, 65536> chunk;
  for (;;) {
    const auto count =
        persistently([&] { return ::read(descriptor.value(), chunk.data(), chunk.size()); });
    if (count == -1) fail(path, "cannot be read");
    if (count == 0) return contents;
    contents.append(chunk.data(), static_cast<std::size_t>(count));
  }
}

AtomicFile::AtomicFile(std::filesystem::path path)
    : path_(std::move(path)), partial_(path_.string() + ".partial") {
  constexpr mode_t kReadAndWrite = 0666;  // less the process's umask
  descriptor_ = persistently([&] {
    return ::open(partial_.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, kReadAndWrite);
  });
  if (descriptor_ == -1) fail(path_, "cannot be written");
}

AtomicFile::~AtomicFile() {
  if (descriptor_ != -1) ::close(descriptor_);
  if (!partial_.empty()) ::unlink(partial_.c_str());
}

void AtomicFile::write(std::string_view bytes) {
  assert(descriptor_ != -1);
  while (!bytes.empty()) {
    const auto count =
        persistently([&] { return ::write(descriptor_, bytes.data(), bytes.size()); });
    if (count == -1) fail(path_, "cannot be written");
    bytes.remove_prefix(static_cast<std::size_t>(count));
  }
}

void AtomicFile::commit() {
  assert(descriptor_ != -1);
  if (persistently([&] { return ::fsync(descriptor_); }) != 0) fail(path_, "cannot be written");
  // Linux closes a descriptor even where close reports a failure.
  if (::close(std::exchange(descriptor_, -1)) != 0) fail(path_, "cannot be written");
  if (::rename(partial_.c_str(), path_.c_str()) != 0) fail(path_, "cannot be replaced");
  partial_.clear();
  flush_folder_of(path_);
}

void write_file_atomically(const std::filesystem::path& path, std::string_view bytes) {
  AtomicFile file(path);
  file.write(bytes);
  file.commit();
}

}  // namespace frostline::base
