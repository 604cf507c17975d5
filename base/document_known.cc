#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "base/document.h"
#include "base/document_contents.h"
#include "base/join.h"
#include "base/nearest.h"

namespace frostline::base {
namespace {

/// The known names, sorted into sections ("" for the top) and in the order in which they were
/// named.
struct Known {
  explicit Known(const Words& full_names);
  bool has_section(const std::string& section) const { return keys.count(section) > 0; }
  bool has(const std::string& section, const std::string& key) const;

  Words names;
  Words sections;
  std::map<std::string, Words> keys;
};

bool contains(const Words& words, const std::string& word) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

Known::Known(const Words& full_names) : names(full_names), keys{{"", {}}} {
  for (const std::string& full_name : full_names) {
    const auto [section, key] = section_and_key(full_name);
    keys[section].push_back(key);
    if (!section.empty() && !contains(sections, section)) sections.push_back(section);
  }
}

bool Known::has(const std::string& section, const std::string& key) const {
  const auto found = keys.find(section);
  return found != keys.end() && contains(found->second, key);
}

std::string list(const std::string& what, const Words& words) {
  return words.empty() ? "" : fmt::format("; {} {}", what, join(words));
}

std::string advice_for_section(const Known& known, const std::string& section) {
  const std::string near = did_you_mean(section, known.sections);
  return near.empty() ? list("the sections are", known.sections) : near;
}

/// A key of the same section first, then one of the same name elsewhere.
std::string advice_for_sibling(const Known& known, const Entry& entry) {
  const Words& siblings = known.keys.at(entry.section);
  if (const auto near = nearest(entry.key, siblings)) {
    return fmt::format("; did you mean '{}'?", Entry{entry.section, *near, {}, {}}.full_name());
  }
  for (const std::string& name : known.names) {
    if (section_and_key(name).second == entry.key) return fmt::format("; did you mean '{}'?", name);
  }
  if (siblings.empty()) return list("the sections are", known.sections);
  if (entry.section.empty()) return list("the keys at the top are", siblings);
  return list(fmt::format("the keys of '{}' are", entry.section), siblings);
}

std::string advice_for_key(const Known& known, const Entry& entry) {
  if (known.has_section(entry.section)) return advice_for_sibling(known, entry);
  const std::string near = did_you_mean(entry.full_name(), known.names);
  return near.empty() ? list("the sections are", known.sections) : near;
}

std::string fault_of_section(const Known& known, const std::string& section) {
  if (known.has("", section)) {
    return fmt::format("'{}' is a key, not a section; use {} = value", section, section);
  }
  return fmt::format("unknown section '{}'{}", section, advice_for_section(known, section));
}

std::string fault_of_key(const Known& known, const Entry& entry) {
  if (entry.section.empty() && known.has_section(entry.key)) {
    return fmt::format("'{}' is a section, not a key; use [{}] and its keys below", entry.key,
                       entry.key);
  }
  return fmt::format("unknown key '{}'{}", entry.full_name(), advice_for_key(known, entry));
}

}  // namespace

void Document::reject_unknown(const Words& known_names) {
  const Known known(known_names);
  const auto is_of_unknown_section = [&](const Entry& entry) {
    return !entry.section.empty() && !known.has_section(entry.section);
  };
  for (const auto& [section, spot] : contents_->layout.sections) {
    // An override's section is spoken of with its key.
    if (!known.has_section(section) && spot.turn == 0) {
      contents_->note(spot, fault_of_section(known, section));
    }
  }
  for (const auto& [name, entry] : contents_->layout.entries) {
    const bool spoken_of = entry.key_spot.turn == 0 && is_of_unknown_section(entry);
    if (!known.has(entry.section, entry.key) && !spoken_of) {
      contents_->note(entry.key_spot, fault_of_key(known, entry));
    }
  }
}

}  // namespace frostline::base
