#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "base/error.h"
#include "base/to_toml.h"

namespace frostline::base {

/// A value of a document, free of the parser's types. For the use of Document only.
struct Value {
  using List = std::vector<Value>;
  /// A value of a kind that no key has: a table, a date.
  struct Foreign {
    std::string kind;  ///< "a table"
    std::string text;  ///< "{...}"
  };

  std::variant<bool, std::int64_t, double, std::string, List, Foreign> data;
  Place place;
};

/// As TOML, shortened where it is long.
std::string text(const Value& value);

/// Why a value is not what was asked for.
struct Fault {
  Place place;
  std::string what;  ///< to follow the key's name: " = 1.5 is a float; use an integer"
};

/// Sets `out` or says why not, and then `out` may hold anything.
std::optional<Fault> convert(const Value& value, bool& out);
std::optional<Fault> convert(const Value& value, std::int64_t& out);
std::optional<Fault> convert(const Value& value, double& out);
std::optional<Fault> convert(const Value& value, std::string& out);
std::optional<Fault> convert(const Value& value, std::filesystem::path& out);  ///< as written
std::optional<Fault> convert(const Value& value, NameOrFile& out);             ///< as written
std::optional<Fault> convert(const Value& value, Integers& out);
std::optional<Fault> convert(const Value& value, Numbers& out);
std::optional<Fault> convert(const Value& value, Words& out);
std::optional<Fault> convert(const Value& value, std::variant<std::string, Integers>& out);

}  // namespace frostline::base
