#pragma once

#include <cstdint>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace frostline::cost {

/// Keeps the order of keys.
using Json = nlohmann::ordered_json;

/// Takes a JSON object of a file apart, key by key. What is missing, wrong or left over throws
/// base::Error with file, key, value and what is allowed.
class ObjectReader {
 public:
  /// `path` is where the object stands in the file: "layers[3]", or "" for the whole. All outlive
  /// the reader.
  ObjectReader(const std::filesystem::path& file, std::string path, const Json& object);

  double number(const char* key, double most);  ///< from 0
  std::int64_t integer(const char* key, std::int64_t least, std::int64_t most);
  std::string word(const char* key);  ///< a string that is not empty
  const Json& list(const char* key);  ///< not empty
  void reject_rest() const;           ///< keys that nobody asked for

  [[noreturn]] void refuse(const std::string& key, const Json& value,
                           const std::string& allowed) const;

 private:
  const Json& take(const char* key);
  std::string name(const std::string& key) const { return path_.empty() ? key : path_ + "." + key; }
  [[noreturn]] void fail(const std::string& what, const std::string& fault) const;

  const std::filesystem::path& file_;
  std::string path_;
  const Json& object_;
  std::vector<std::string> taken_;
};

}  // namespace frostline::cost
