#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/document.h"
#include "base/to_toml.h"

namespace frostline::base {

/// What one scenario key is, for the documentation.
struct KeyInfo {
  std::string name;      ///< "judging_step"
  std::string type;      ///< "integer", "number", "boolean", "list of numbers", ...
  std::string allowed;   ///< "at least 1", "one of none, fixed", or ""
  std::string fallback;  ///< the default, as TOML
  std::string doc;       ///< one sentence
};

/// The part of a section that does not depend on the settings' type.
struct SectionInfo {
  std::string name;  ///< "freeze"; "" for the top of the file
  std::string doc;   ///< one sentence
  std::vector<KeyInfo> keys;

  /// "freeze.judging_step"
  std::string full_name(const std::string& key) const;
};

/// Which values a key (or each element of a list) may have, and how that is said.
template <class V>
struct Allowed {
  std::string text;                       ///< "at least 1"
  std::function<bool(const V&)> accepts;  ///< empty: everything
  Words words;                            ///< the allowed words, for a suggestion
};

/// Integer literals speak of integer keys, floating ones of number keys: at_least(1),
/// at_least(0.0).
template <class V>
using Bound = std::conditional_t<std::is_integral_v<V>, std::int64_t, double>;

template <class V>
Allowed<Bound<V>> at_least(V least);
template <class V>
Allowed<Bound<V>> above(V bound);
template <class V>
Allowed<Bound<V>> between(V least, V most);  ///< both ends included
Allowed<std::string> one_of(Words words);

/// The keys of one section of the scenario file, each bound to a member of `Settings`: the one
/// table that parses, validates and documents them. Defaults are the members' own.
///
///     const Section<FreezeSettings>& freeze_section() {
///       static const auto kSection =
///           Section<FreezeSettings>("freeze", "When parameters are frozen.")
///               .key("judging_step", &FreezeSettings::judging_step, at_least(1),
///                    "Optimizer steps between two judgements.");
///       return kSection;
///     }
template <class Settings>
class Section {
 public:
  Section(std::string name, std::string doc) : info_{std::move(name), std::move(doc), {}} {}

  /// `V` is a type that Document::read takes. For a list, `allowed` speaks of its elements; for a
  /// string or list of integers, of whichever of the two it fits.
  template <class V>
  Section&& key(std::string name, V Settings::* member, std::string doc) &&;
  template <class V, class E>
  Section&& key(std::string name, V Settings::* member, Allowed<E> allowed, std::string doc) &&;

  const SectionInfo& info() const { return info_; }
  /// The section's settings; what is wrong becomes a problem of the document, and the default
  /// stands.
  Settings read(Document& document) const;
  /// The section as TOML with every key, such that reading it gives equal settings.
  std::string to_toml(const Settings& settings) const;

 private:
  SectionInfo info_;
  std::vector<std::function<void(Document&, Settings&)>> readers_;
  std::vector<std::function<std::string(const Settings&)>> writers_;
};

}  // namespace frostline::base

#include "base/section_inl.h"
