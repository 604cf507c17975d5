#include <fmt/format.h>

#include <algorithm>
#include <tuple>
#include <utility>

#include "base/document.h"
#include "base/document_contents.h"

namespace frostline::base {

std::pair<std::string, std::string> section_and_key(const std::string& full_name) {
  const auto dot = full_name.find('.');
  if (dot == std::string::npos) return {"", full_name};
  return {full_name.substr(0, dot), full_name.substr(dot + 1)};
}

Spot Document::Contents::spot(const std::string& key) const {
  if (auto entry = layout.entries.find(key); entry != layout.entries.end()) {
    return entry->second.spot();
  }
  if (auto section = layout.sections.find(section_and_key(key).first);
      section != layout.sections.end()) {
    return section->second;
  }
  return {{name}, 0};
}

void Document::Contents::note(const Spot& spot, const std::string& what) {
  const auto same = [&](const Noted& noted) {
    return noted.spot.turn == spot.turn && noted.spot.place.text() == spot.place.text() &&
           noted.what == what;
  };
  if (std::none_of(problems.begin(), problems.end(), same)) problems.push_back({spot, what});
}

Entry* Document::Contents::find(const std::string& key) {
  const auto found = layout.entries.find(key);
  return found == layout.entries.end() ? nullptr : &found->second;
}

std::filesystem::path Document::Contents::base_folder(const Entry& entry) const {
  const bool from_file = entry.key_spot.turn == 0;
  return from_file ? folder : std::filesystem::current_path();
}

template <class V>
const Entry* Document::Contents::read(const std::string& key, V& out) {
  Entry* entry = find(key);
  if (entry == nullptr || entry->reported) return nullptr;
  V value{};
  if (auto fault = convert(entry->value, value)) {
    note({fault->place, entry->key_spot.turn}, key + fault->what);
    entry->reported = true;
    return nullptr;
  }
  out = std::move(value);
  return entry;
}

bool Document::has(const std::string& key) const { return contents_->find(key) != nullptr; }

bool Document::has_section(const std::string& section) const {
  return contents_->layout.sections.count(section) > 0;
}

Place Document::place(const std::string& key) const { return contents_->spot(key).place; }

bool Document::read(const std::string& key, bool& out) {
  return contents_->read(key, out) != nullptr;
}

bool Document::read(const std::string& key, std::int64_t& out) {
  return contents_->read(key, out) != nullptr;
}

bool Document::read(const std::string& key, double& out) {
  return contents_->read(key, out) != nullptr;
}

bool Document::read(const std::string& key, std::string& out) {
  return contents_->read(key, out) != nullptr;
}

bool Document::read(const std::string& key, std::filesystem::path& out) {
  const Entry* entry = contents_->read(key, out);
  if (entry == nullptr) return false;
  if (!out.empty()) out = contents_->base_folder(*entry) / out;
  return true;
}

bool Document::read(const std::string& key, NameOrFile& out) {
  const Entry* entry = contents_->read(key, out);
  if (entry == nullptr) return false;
  if (out.is_file() && !out.file().empty()) {
    out = NameOrFile::of(contents_->base_folder(*entry) / out.file());
  }
  return true;
}

bool Document::read(const std::string& key, Integers& out) {
  return contents_->read(key, out) != nullptr;
}

bool Document::read(const std::string& key, Numbers& out) {
  return contents_->read(key, out) != nullptr;
}

bool Document::read(const std::string& key, Words& out) {
  return contents_->read(key, out) != nullptr;
}

bool Document::read(const std::string& key, std::variant<std::string, Integers>& out) {
  return contents_->read(key, out) != nullptr;
}

void Document::problem(const std::string& key, const std::string& what) {
  contents_->note(contents_->spot(key), what);
}

bool Document::valid() const { return contents_->problems.empty(); }

void Document::throw_if_invalid() const {
  if (valid()) return;
  std::vector<Noted> sorted = contents_->problems;
  std::stable_sort(sorted.begin(), sorted.end(), [](const Noted& a, const Noted& b) {
    return std::tie(a.spot.turn, a.spot.place.line, a.spot.place.column) <
           std::tie(b.spot.turn, b.spot.place.line, b.spot.place.column);
  });
  std::vector<Problem> problems;
  for (const Noted& noted : sorted) problems.push_back({noted.spot.place, noted.what});
  throw InvalidInput(std::move(problems));
}

}  // namespace frostline::base
