#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace frostline::base {

using Integers = std::vector<std::int64_t>;
using Numbers = std::vector<double>;
using Words = std::vector<std::string>;

/// A string that names one of a few things, or a file as "file:PATH".
struct NameOrFile {
  std::string text;

  bool is_file() const { return text.starts_with(kFile); }
  std::filesystem::path file() const { return text.substr(kFile.size()); }  ///< if is_file()
  static NameOrFile of(const std::filesystem::path& file) {
    return {std::string(kFile) + file.string()};
  }
  friend bool operator==(const NameOrFile&, const NameOrFile&) = default;

 private:
  static constexpr std::string_view kFile = "file:";
};

/// A value as TOML.
std::string to_toml(bool value);
std::string to_toml(std::int64_t value);
std::string to_toml(double value);  ///< shortest text that reads back as the same number
std::string to_toml(const std::string& value);
std::string to_toml(const char* value);  ///< keeps a literal from becoming a boolean
std::string to_toml(const std::filesystem::path& value);
std::string to_toml(const NameOrFile& value);
std::string to_toml(const Integers& value);
std::string to_toml(const Numbers& value);
std::string to_toml(const Words& value);
std::string to_toml(const std::variant<std::string, Integers>& value);

}  // namespace frostline::base
