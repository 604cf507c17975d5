#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>

#include "base/file.h"

namespace frostline::app {

/// Writes a JSON object whose last member is a long list, an element at a time: it never stands in
/// memory as a whole. The file appears when it is complete. Throws base::Error for a full disk.
class JsonListFile {
 public:
  /// `head` is an object; the list follows as one more member, `name`.
  JsonListFile(const std::filesystem::path& file, const nlohmann::json& head,
               const std::string& name);
  void add(const nlohmann::json& element);
  void finish();

 private:
  base::AtomicFile file_;
  std::string buffer_;
  bool empty_ = true;
};

}  // namespace frostline::app
