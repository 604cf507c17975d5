#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <variant>
#include <vector>

namespace frostline::base {

using Integers = std::vector<std::int64_t>;
using Numbers = std::vector<double>;
using Words = std::vector<std::string>;

/// A value as TOML.
std::string to_toml(bool value);
std::string to_toml(std::int64_t value);
std::string to_toml(double value);  ///< shortest text that reads back as the same number
std::string to_toml(const std::string& value);
std::string to_toml(const char* value);  ///< keeps a literal from becoming a boolean
std::string to_toml(const std::filesystem::path& value);
std::string to_toml(const Integers& value);
std::string to_toml(const Numbers& value);
std::string to_toml(const Words& value);
std::string to_toml(const std::variant<std::string, Integers>& value);

}  // namespace frostline::base
