#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "base/section.h"

namespace frostline::base {

/// As the documentation names the types that Document::read takes.
template <class V>
inline constexpr const char* kTypeName = nullptr;
template <>
inline constexpr const char* kTypeName<bool> = "boolean";
template <>
inline constexpr const char* kTypeName<std::int64_t> = "integer";
template <>
inline constexpr const char* kTypeName<double> = "number";
template <>
inline constexpr const char* kTypeName<std::string> = "string";
template <>
inline constexpr const char* kTypeName<std::filesystem::path> = "path";
template <>
inline constexpr const char* kTypeName<NameOrFile> = "string";
template <>
inline constexpr const char* kTypeName<Integers> = "list of integers";
template <>
inline constexpr const char* kTypeName<Numbers> = "list of numbers";
template <>
inline constexpr const char* kTypeName<Words> = "list of strings";
template <>
inline constexpr const char* kTypeName<std::variant<std::string, Integers>> =
    "string or list of integers";

/// "at least 1"
std::string phrase(const char* words, std::int64_t bound);
std::string phrase(const char* words, double bound);
/// "; did you mean 'x'?" or "".
std::string suggestion(const std::string& word, const Words& words);
template <class V>
std::string suggestion(const V&, const Words&) {
  return "";
}

template <class V>
Allowed<Bound<V>> at_least(V least) {
  const Bound<V> bound = least;
  return {phrase("at least", bound), [bound](const Bound<V>& v) { return v >= bound; }, {}};
}

template <class V>
Allowed<Bound<V>> above(V bound) {
  const Bound<V> floor = bound;
  return {phrase("more than", floor), [floor](const Bound<V>& v) { return v > floor; }, {}};
}

template <class V>
Allowed<Bound<V>> between(V least, V most) {
  const Bound<V> low = least;
  const Bound<V> high = most;
  return {phrase("between", low) + phrase(" and", high),
          [low, high](const Bound<V>& v) { return low <= v && v <= high; },
          {}};
}

/// What is wrong with a value, one text a fault, to follow the key's name.
template <class V>
Words faults(const V& value, const Allowed<V>& allowed) {
  if (!allowed.accepts || allowed.accepts(value)) return {};
  return {" = " + to_toml(value) + " is not allowed; use " + allowed.text +
          suggestion(value, allowed.words)};
}

template <class E>
Words faults(const std::vector<E>& values, const Allowed<E>& allowed) {
  Words all;
  for (std::size_t i = 0; i < values.size(); ++i) {
    for (const std::string& fault : faults(values[i], allowed)) {
      all.push_back(": element " + std::to_string(i + 1) + fault);
    }
  }
  return all;
}

/// `allowed` speaks of the names.
inline Words faults(const NameOrFile& value, const Allowed<std::string>& allowed) {
  return value.is_file() ? Words{} : faults(value.text, allowed);
}

inline Words faults(const std::variant<std::string, Integers>& value,
                    const Allowed<std::string>& allowed) {
  const auto* word = std::get_if<std::string>(&value);
  return word == nullptr ? Words{} : faults(*word, allowed);
}

inline Words faults(const std::variant<std::string, Integers>& value,
                    const Allowed<std::int64_t>& allowed) {
  const auto* integers = std::get_if<Integers>(&value);
  return integers == nullptr ? Words{} : faults(*integers, allowed);
}

/// Whether `Allowed<E>` can speak of a `V`; at_least(1), say, cannot speak of a number key.
template <class V, class E>
inline constexpr bool kFits =
    requires(const V& value, const Allowed<E>& allowed) { faults(value, allowed); };

template <class Settings, class V, class E>
void read_key(Document& document, const std::string& full_name, const Allowed<E>& allowed,
              V Settings::* member, Settings& settings) {
  V value{};
  if (!document.read(full_name, value)) return;
  const Words found = faults(value, allowed);
  for (const std::string& fault : found) document.problem(full_name, full_name + fault);
  if (found.empty()) settings.*member = std::move(value);
}

template <class Settings>
template <class V>
Section<Settings>&& Section<Settings>::key(std::string name, V Settings::* member,
                                           std::string doc) && {
  return std::move(*this).key(std::move(name), member, Allowed<V>{}, std::move(doc));
}

template <class Settings>
template <class V, class E>
Section<Settings>&& Section<Settings>::key(std::string name, V Settings::* member,
                                           Allowed<E> allowed, std::string doc) && {
  static_assert(kTypeName<V> != nullptr, "Document::read does not take a member of this type");
  static_assert(kFits<V, E>, "use at_least(1) with integers, at_least(1.0) with numbers");
  info_.keys.push_back(
      {name, kTypeName<V>, allowed.text, base::to_toml(Settings{}.*member), std::move(doc)});
  readers_.push_back([full_name = info_.full_name(name), member, allowed = std::move(allowed)](
                         Document& document, Settings& settings) {
    read_key(document, full_name, allowed, member, settings);
  });
  writers_.push_back([name = std::move(name), member](const Settings& settings) {
    return name + " = " + base::to_toml(settings.*member) + "\n";
  });
  return std::move(*this);
}

template <class Settings>
Settings Section<Settings>::read(Document& document) const {
  Settings settings{};
  for (const auto& reader : readers_) reader(document, settings);
  return settings;
}

template <class Settings>
std::string Section<Settings>::to_toml(const Settings& settings) const {
  std::string text = info_.name.empty() ? "" : "[" + info_.name + "]\n";
  for (const auto& writer : writers_) text += writer(settings);
  return text;
}

}  // namespace frostline::base
