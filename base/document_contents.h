#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "base/document.h"
#include "base/value.h"

namespace frostline::base {

// The flattened document. All of this is for the use of Document only.

/// Where something stands and, for the order of problems, whose it is: 0 is the file's, n is the
/// n-th override's.
struct Spot {
  Place place;
  int turn = 0;
};

struct Entry {
  std::string section;  ///< "" at the top
  std::string key;
  Value value;
  Spot key_spot;
  bool reported = false;  ///< its value was found to be of a wrong type

  std::string full_name() const { return section.empty() ? key : section + "." + key; }
  Spot spot() const { return {value.place, key_spot.turn}; }
};

struct Layout {
  std::map<std::string, Entry> entries;  ///< by full name
  std::map<std::string, Spot> sections;

  void lay(const Entry& entry) { entries[entry.full_name()] = entry; }
};

struct Noted {
  Spot spot;
  std::string what;
};

struct Document::Contents {
  std::string name;
  std::filesystem::path folder;
  Layout layout;
  std::vector<Noted> problems;
  int turns = 0;

  Spot spot(const std::string& key) const;
  /// Once only, however often it is found.
  void note(const Spot& spot, const std::string& what);
  Entry* find(const std::string& key);
  /// Against which a relative path in the entry counts.
  std::filesystem::path base_folder(const Entry& entry) const;
  /// The entry whose value was converted to `out`, if all went well.
  template <class V>
  const Entry* read(const std::string& key, V& out);
};

/// "freeze" and "policy" of "freeze.policy"; "" and "seed" of "seed".
std::pair<std::string, std::string> section_and_key(const std::string& full_name);

}  // namespace frostline::base
