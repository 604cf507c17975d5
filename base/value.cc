#include "base/value.h"

#include <fmt/format.h>

#include <cmath>

#include "base/join.h"

namespace frostline::base {
namespace {

struct KindOf {
  std::string operator()(bool) const { return "a boolean"; }
  std::string operator()(std::int64_t) const { return "an integer"; }
  std::string operator()(double) const { return "a float"; }
  std::string operator()(const std::string&) const { return "a string"; }
  std::string operator()(const Value::List&) const { return "a list"; }
  std::string operator()(const Value::Foreign& foreign) const { return foreign.kind; }
};

struct TextOf {
  template <class Scalar>
  std::string operator()(const Scalar& scalar) const {
    return to_toml(scalar);
  }
  std::string operator()(const Value::List& list) const {
    Words parts;
    for (const Value& element : list) parts.push_back(std::visit(*this, element.data));
    return fmt::format("[{}]", join(parts));
  }
  std::string operator()(const Value::Foreign& foreign) const { return foreign.text; }
};

/// Cuts between characters, never inside one: UTF-8 continues a character with bytes 10xxxxxx.
std::string shortened(std::string text) {
  constexpr std::size_t kLongest = 60;
  if (text.size() <= kLongest) return text;
  std::size_t end = kLongest - 3;
  while ((static_cast<unsigned char>(text[end]) & 0xC0U) == 0x80U) --end;
  return text.substr(0, end) + "...";
}

Fault mismatch(const Value& value, const char* wanted) {
  return {value.place, fmt::format(" = {} is {}; use {}", text(value),
                                   std::visit(KindOf{}, value.data), wanted)};
}

template <class V>
std::optional<Fault> convert_exactly(const Value& value, V& out, const char* wanted) {
  const auto* exact = std::get_if<V>(&value.data);
  if (exact == nullptr) return mismatch(value, wanted);
  out = *exact;
  return std::nullopt;
}

template <class E>
std::optional<Fault> convert_elements(const Value::List& list, std::vector<E>& out) {
  out.assign(list.size(), E{});
  for (std::size_t i = 0; i < list.size(); ++i) {
    if (auto fault = convert(list[i], out[i])) {
      return Fault{fault->place, fmt::format(": element {}{}", i + 1, fault->what)};
    }
  }
  return std::nullopt;
}

bool is_not_finite(const Value& value) {
  const auto* number = std::get_if<double>(&value.data);
  return number != nullptr && !std::isfinite(*number);
}

template <class E>
std::optional<Fault> convert_list(const Value& value, std::vector<E>& out, const char* wanted) {
  if (const auto* list = std::get_if<Value::List>(&value.data)) return convert_elements(*list, out);
  E one{};
  if (auto fault = convert(value, one))
    return is_not_finite(value) ? fault : mismatch(value, wanted);
  out = {one};
  return std::nullopt;
}

}  // namespace

std::string text(const Value& value) { return shortened(std::visit(TextOf{}, value.data)); }

std::optional<Fault> convert(const Value& value, bool& out) {
  return convert_exactly(value, out, "true or false");
}

std::optional<Fault> convert(const Value& value, std::int64_t& out) {
  return convert_exactly(value, out, "an integer");
}

std::optional<Fault> convert(const Value& value, double& out) {
  if (const auto* integer = std::get_if<std::int64_t>(&value.data)) {
    out = static_cast<double>(*integer);
    return std::nullopt;
  }
  if (is_not_finite(value)) {
    return Fault{value.place, fmt::format(" = {} is not finite; use a finite number", text(value))};
  }
  return convert_exactly(value, out, "a number");
}

std::optional<Fault> convert(const Value& value, std::string& out) {
  return convert_exactly(value, out, "a string");
}

std::optional<Fault> convert(const Value& value, std::filesystem::path& out) {
  std::string written;
  auto fault = convert_exactly(value, written, "a path as a string");
  if (!fault) out = written;
  return fault;
}

std::optional<Fault> convert(const Value& value, NameOrFile& out) {
  return convert(value, out.text);
}

std::optional<Fault> convert(const Value& value, Integers& out) {
  return convert_list(value, out, "a list of integers");
}

std::optional<Fault> convert(const Value& value, Numbers& out) {
  return convert_list(value, out, "a list of numbers");
}

std::optional<Fault> convert(const Value& value, Words& out) {
  return convert_list(value, out, "a list of strings");
}

std::optional<Fault> convert(const Value& value, std::variant<std::string, Integers>& out) {
  if (const auto* word = std::get_if<std::string>(&value.data)) {
    out = *word;
    return std::nullopt;
  }
  return convert_list(value, out.emplace<Integers>(), "a string or a list of integers");
}

}  // namespace frostline::base
