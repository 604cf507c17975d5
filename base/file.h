#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <string_view>

namespace frostline::base {

/// The whole file. Throws Error when it is missing, unreadable or a device.
std::string read_file(const std::filesystem::path& path);

/// A file that appears under its name whole or not at all: bytes go to a neighbour "NAME.partial",
/// `commit` flushes it to disk and renames it. Destroyed without `commit`, it leaves what stood
/// under the name before untouched and removes the neighbour. Every failure (a full disk, say)
/// throws Error naming the file and the system's reason.
class AtomicFile {
 public:
  explicit AtomicFile(std::filesystem::path path);
  ~AtomicFile();
  AtomicFile(const AtomicFile&) = delete;
  AtomicFile& operator=(const AtomicFile&) = delete;

  void write(std::string_view bytes);
  void commit();

 private:
  std::filesystem::path path_;
  std::filesystem::path partial_;
  int descriptor_ = -1;
};

void write_file_atomically(const std::filesystem::path& path, std::string_view bytes);

}  // namespace frostline::base
