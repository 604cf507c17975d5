#include "app/sweep_order.h"

#include <fmt/format.h>

#include <algorithm>

#include "app/verb.h"

namespace frostline::app {
namespace {

[[noreturn]] void fail(const std::string& what) { throw wrong_command_line("--vary: " + what); }

std::string trimmed(std::string_view text) {
  const auto first = text.find_first_not_of(' ');
  if (first == std::string_view::npos) return {};
  return std::string(text.substr(first, text.find_last_not_of(' ') - first + 1));
}

/// Says of each character in turn whether it stands outside of quotes and brackets.
class Outside {
 public:
  bool operator()(char c) {
    if (quote_ != 0) {
      inside_quotes(c);
      return false;
    }
    if (c == '"' || c == '\'') quote_ = c;
    if (c == '[' || c == '{') ++depth_;
    if (c == ']' || c == '}') --depth_;
    return quote_ == 0 && depth_ == 0;
  }

 private:
  void inside_quotes(char c) {
    if (escaped_)
      escaped_ = false;
    else if (c == '\\' && quote_ == '"')
      escaped_ = true;
    else if (c == quote_)
      quote_ = 0;
  }

  char quote_ = 0;
  int depth_ = 0;
  bool escaped_ = false;
};

std::vector<std::string> split(std::string_view text) {
  std::vector<std::string> parts(1);
  Outside outside;
  for (const char c : text) {
    if (outside(c) && c == ',')
      parts.emplace_back();
    else
      parts.back() += c;
  }
  for (auto& part : parts) part = trimmed(part);
  return parts;
}

void check_values(const std::string& text, const Variation& variation) {
  auto sorted = variation.values;
  std::sort(sorted.begin(), sorted.end());
  if (sorted.front().empty())
    fail(fmt::format("'{}' has an empty value; put one between each two commas", text));
  const auto twice = std::adjacent_find(sorted.begin(), sorted.end());
  if (twice != sorted.end()) fail(fmt::format("'{}' has {} twice", text, *twice));
}

void check_count(const std::vector<Variation>& variations) {
  std::size_t count = 1;
  for (const auto& variation : variations) {
    count *= variation.values.size();
    if (count > kMostCombinations)
      fail(fmt::format("there are more than {} combinations; vary fewer keys, or fewer values",
                       kMostCombinations));
  }
}

}  // namespace

Variation parse_variation(std::string_view text) {
  const auto equals = text.find('=');
  Variation variation{trimmed(text.substr(0, equals)), {}};
  if (equals == std::string_view::npos || variation.key.empty())
    fail(fmt::format("'{}' gives no values to a key; use section.key=value,value,...", text));
  variation.values = split(text.substr(equals + 1));
  check_values(std::string(text), variation);
  return variation;
}

std::vector<Variation> parse_variations(const std::vector<std::string>& texts) {
  std::vector<Variation> variations;
  for (const auto& text : texts) {
    variations.push_back(parse_variation(text));
    const auto& key = variations.back().key;
    const auto has_key = [&](const Variation& other) { return other.key == key; };
    if (std::count_if(variations.begin(), variations.end(), has_key) > 1)
      fail(fmt::format("{} is varied twice; give all of its values at once", key));
  }
  check_count(variations);
  return variations;
}

std::vector<std::vector<std::string>> combinations(const std::vector<Variation>& variations) {
  std::vector<std::vector<std::string>> all(1);
  for (const auto& variation : variations) {
    std::vector<std::vector<std::string>> longer;
    for (const auto& values : all) {
      for (const auto& value : variation.values) {
        longer.push_back(values);
        longer.back().push_back(value);
      }
    }
    all = std::move(longer);
  }
  return all;
}

}  // namespace frostline::app
