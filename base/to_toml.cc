#include "base/to_toml.h"

#include <fmt/format.h>

#include <cmath>

#include "base/join.h"

namespace frostline::base {
namespace {

std::string escaped(char c) {
  switch (c) {
    case '"':
      return "\\\"";
    case '\\':
      return "\\\\";
    case '\b':
      return "\\b";
    case '\t':
      return "\\t";
    case '\n':
      return "\\n";
    case '\f':
      return "\\f";
    case '\r':
      return "\\r";
    default:
      break;
  }
  const auto code = static_cast<unsigned char>(c);
  return code < 0x20 || code == 0x7f ? fmt::format("\\u{:04X}", code) : std::string(1, c);
}

template <class V>
std::string list_to_toml(const std::vector<V>& values) {
  Words parts;
  for (const V& value : values) parts.push_back(to_toml(value));
  return fmt::format("[{}]", join(parts));
}

}  // namespace

std::string to_toml(bool value) { return value ? "true" : "false"; }

std::string to_toml(std::int64_t value) { return fmt::to_string(value); }

std::string to_toml(double value) {
  if (std::isnan(value)) return "nan";
  std::string text = fmt::format("{}", value);
  const bool integral = text.find_first_not_of("-0123456789") == std::string::npos;
  return integral ? text + ".0" : text;
}

std::string to_toml(const std::string& value) {
  std::string text = "\"";
  for (char c : value) text += escaped(c);
  return text + '"';
}

std::string to_toml(const char* value) { return to_toml(std::string(value)); }

std::string to_toml(const std::filesystem::path& value) { return to_toml(value.string()); }

std::string to_toml(const NameOrFile& value) { return to_toml(value.text); }

std::string to_toml(const Integers& value) { return list_to_toml(value); }

std::string to_toml(const Numbers& value) { return list_to_toml(value); }

std::string to_toml(const Words& value) { return list_to_toml(value); }

std::string to_toml(const std::variant<std::string, Integers>& value) {
  return std::visit([](const auto& alternative) { return to_toml(alternative); }, value);
}

}  // namespace frostline::base
