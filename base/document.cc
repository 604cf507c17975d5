#include "base/document.h"

#include <fmt/format.h>
#include <toml++/toml.h>

#include <algorithm>
#include <sstream>
#include <utility>

#include "base/document_contents.h"
#include "base/file.h"

namespace frostline::base {
namespace {

/// A value of the command line stands in an option, which has no lines.
bool is_option(const std::string& source) { return source.starts_with("--"); }

Place place_of(const std::string& source, const toml::source_region& region) {
  if (is_option(source)) return {source};
  return {source, static_cast<int>(region.begin.line), static_cast<int>(region.begin.column)};
}

bool is_bare(std::string_view key) {
  constexpr std::string_view kCharacters =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-";
  return !key.empty() && key.find_first_not_of(kCharacters) == std::string_view::npos;
}

/// A key in quotes keeps them, so that it equals no known name even if it has a dot in it.
std::string name_of(const toml::key& key) {
  const std::string name(key.str());
  return is_bare(name) ? name : to_toml(name);
}

template <class V>
std::string streamed(const V& value) {
  std::ostringstream stream;
  stream << value;
  return stream.str();
}

Value::Foreign foreign(const toml::node& node) {
  if (const auto* date = node.as_date()) return {"a date", streamed(date->get())};
  if (const auto* time = node.as_time()) return {"a time", streamed(time->get())};
  if (const auto* both = node.as_date_time()) return {"a date and time", streamed(both->get())};
  return {"a table", "{...}"};
}

Value value_of(const toml::node& node, const std::string& source) {
  Value value{Value::List{}, place_of(source, node.source())};
  if (const auto* list = node.as_array()) {
    for (const auto& element : *list) {
      std::get<Value::List>(value.data).push_back(value_of(element, source));
    }
  } else if (const auto* boolean = node.as_boolean()) {
    value.data = boolean->get();
  } else if (const auto* integer = node.as_integer()) {
    value.data = integer->get();
  } else if (const auto* number = node.as_floating_point()) {
    value.data = number->get();
  } else if (const auto* string = node.as_string()) {
    value.data = string->get();
  } else {
    value.data = foreign(node);
  }
  return value;
}

Entry entry_of(const std::string& section, const toml::key& key, const toml::node& node,
               const std::string& source) {
  return {section, name_of(key), value_of(node, source), {place_of(source, key.source()), 0}};
}

Layout layout_of(const toml::table& file, const std::string& source) {
  Layout layout;
  for (const auto& [key, node] : file) {
    const toml::table* section = node.as_table();
    if (section == nullptr) {
      layout.lay(entry_of("", key, node, source));
      continue;
    }
    layout.sections[name_of(key)] = {place_of(source, section->source()), 0};
    for (const auto& [inner_key, inner] : *section) {
      layout.lay(entry_of(name_of(key), inner_key, inner, source));
    }
  }
  return layout;
}

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view kBlanks = " \t";
  const auto first = text.find_first_not_of(kBlanks);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kBlanks) - first + 1);
}

/// One or more bare keys with dots between them.
bool is_key(std::string_view name) {
  const auto dot = name.find('.');
  if (dot == std::string_view::npos) return is_bare(name);
  return is_bare(name.substr(0, dot)) && is_key(name.substr(dot + 1));
}

/// A number with a fault in it must not pass as a word.
bool looks_like_number(std::string_view text) {
  return text.find_first_not_of("0123456789+-._eE") == std::string_view::npos &&
         text.find_first_of("0123456789") < 2 && text.find_first_of("eE") != 0;
}

bool is_word(std::string_view text) {
  const auto breaks = [](char c) { return static_cast<unsigned char>(c) <= ' ' || c == '\x7f'; };
  return !text.empty() && std::string_view("\"'[{").find(text.front()) == std::string_view::npos &&
         std::none_of(text.begin(), text.end(), breaks) && !looks_like_number(text);
}

/// Throws toml::parse_error.
Value parse_value(const std::string& text, const std::string& option) {
  const toml::table table = toml::parse("value = " + text);
  if (table.size() != 1) throw toml::parse_error("more than one value", table.source());
  return value_of(*table.get("value"), option);
}

Value parse_override(const std::string& text, const std::string& option) {
  try {
    return parse_value(text, option);
  } catch (const toml::parse_error&) {
    // By way of the parser, so that a word must be UTF-8 like every string.
    if (is_word(text)) return parse_value(to_toml(text), option);
    throw;
  }
}

}  // namespace

Document::Document(std::unique_ptr<Contents> contents) : contents_(std::move(contents)) {}
Document::Document(Document&&) noexcept = default;
Document& Document::operator=(Document&&) noexcept = default;
Document::~Document() = default;

Document Document::from_file(const std::filesystem::path& path) {
  return from_text(read_file(path), path.string(), path.parent_path());
}

Document Document::from_text(std::string_view text, const std::string& name,
                             const std::filesystem::path& folder) {
  auto contents = std::make_unique<Contents>();
  contents->name = name;
  contents->folder = std::filesystem::current_path() / folder;
  try {
    contents->layout = layout_of(toml::parse(text), name);
  } catch (const toml::parse_error& error) {
    const std::string what = fmt::format("this is not TOML: {}", error.description());
    throw InvalidInput({{place_of(name, error.source()), what}});
  }
  return Document(std::move(contents));
}

void Document::set(std::string_view assignment, const std::string& option) {
  const Spot spot{{option}, ++contents_->turns};
  const auto equals = assignment.find('=');
  const std::string name(trimmed(assignment.substr(0, equals)));
  if (equals == std::string_view::npos || !is_key(name)) {
    contents_->note(spot,
                    fmt::format("'{}' is not an assignment; use section.key=value", assignment));
    return;
  }
  try {
    const Value value = parse_override(std::string(trimmed(assignment.substr(equals + 1))), option);
    const auto [section, key] = section_and_key(name);
    if (!section.empty()) contents_->layout.sections.try_emplace(section, spot);
    contents_->layout.lay({section, key, value, spot});
  } catch (const toml::parse_error& error) {
    contents_->note(spot, fmt::format("the value in '{}' is not TOML ({}); put a string in quotes",
                                      assignment, error.description()));
  }
}

}  // namespace frostline::base
