#include "policy/freeze_settings.h"

#include <array>
#include <cassert>
#include <utility>

#include "policy/policies/registry.h"

namespace frostline::policy {
namespace {

using base::above;
using base::at_least;
using base::between;
using base::one_of;
using pipeline::Change;
using pipeline::Cut;

/// A word of the scenario and what it stands for; the first of a table is the default.
template <class Meaning, std::size_t kCount>
using Table = std::array<std::pair<std::string_view, Meaning>, kCount>;

constexpr Table<Change, 3> kChanges{
    {{"relative", Change::kRelative}, {"common", Change::kCommon}, {"drift", Change::kDrift}}};
constexpr Table<Cut, 3> kCuts{
    {{"prefix", Cut::kPrefix}, {"first_stage", Cut::kFirstStage}, {"none", Cut::kNone}}};
constexpr Table<models::UnitKind, 2> kUnits{
    {{"layer", models::UnitKind::kLayer}, {"tensor", models::UnitKind::kTensor}}};

template <class Meaning, std::size_t kCount>
std::optional<Meaning> look_up(const Table<Meaning, kCount>& table, std::string_view word) {
  for (const auto& [known, meaning] : table) {
    if (known == word) return meaning;
  }
  return std::nullopt;
}

/// Of a word that the section's table has let through.
template <class Meaning, std::size_t kCount>
Meaning meaning_of(const Table<Meaning, kCount>& table, std::string_view word) {
  const auto meaning = look_up(table, word);
  assert(meaning);
  return *meaning;
}

template <class Meaning, std::size_t kCount>
base::Allowed<std::string> one_of_table(const Table<Meaning, kCount>& table) {
  base::Words words;
  for (const auto& [word, meaning] : table) words.emplace_back(word);
  return one_of(std::move(words));
}

using S = FreezeSettings;
using FreezeSection = base::Section<S>;

FreezeSection with_policy_keys(FreezeSection section) {
  return std::move(section)
      .key("policy", &S::policy, one_of(policy_names()), "Who decides what is frozen, and when.")
      .key("keep_layers", &S::keep_layers, at_least(0),
           "Policy \"last_k\": layers at the output that keep training.")
      .key("frozen_layers", &S::frozen_layers, at_least(0),
           "Policy \"mask\": so many leading layers are frozen.")
      .key("frozen", &S::frozen,
           "Policy \"mask\": these units are frozen, together with frozen_layers.")
      .key("file", &S::file,
           "Policy \"file\": the folder of the finished run whose masks are replayed.")
      .key("cut", &S::cut, one_of_table(kCuts),
           "What a frozen prefix saves: all of its backward, that of the first stage alone, or "
           "nothing but weight gradients (the latter two to model other systems).")
      .key("unit", &S::unit, one_of_table(kUnits), "What freezes as one.")
      .key("optimizer_state", &S::optimizer_state, one_of({"keep", "release"}),
           "What becomes of the optimizer's state of a unit that freezes: kept for when it thaws, "
           "or released. A unit that has never trained has none.");
}

FreezeSection with_rule_keys(FreezeSection section) {
  return std::move(section)
      .key("judging_step", &S::judging_step, at_least(1), "Optimizer steps between two judgements.")
      .key("window", &S::window, at_least(1),
           "Units next to the frost line that are judged; fewer where the head is near.")
      .key("theta1", &S::theta1, above(0.0),
           "A change of a unit's gradient below this is small; near 1 for change = \"drift\".")
      .key("theta2", &S::theta2, between(0.0, 1.0),
           "Share of small changes at which a gradient counts as settled.")
      .key("theta3", &S::theta3, above(0.0),
           "A mean absolute gradient below theta3 times its reference is small.")
      .key("change", &S::change, one_of_table(kChanges),
           "How the change of a gradient is read: against the step before, the same less what all "
           "units have in common, or as the drift over a judging step.")
      .key("size", &S::size, one_of({"absolute", "self", "median"}),
           "The reference of theta3: 1, the unit's own mean over warm-up, or the median over the "
           "other unfrozen units.")
      .key("warm_up", &S::warm_up, at_least(0),
           "Judging steps at the start in which nothing is judged; size = \"self\" takes its mean "
           "over them.")
      .key("confirm", &S::confirm, at_least(1), "Positive judgements in a row that freeze a unit.")
      .key("order", &S::order, one_of({"prefix", "any"}),
           "\"prefix\": a unit freezes only if all units before it are frozen.");
}

}  // namespace

models::UnitKind FreezeSettings::unit_kind() const { return meaning_of(kUnits, unit); }

Cut FreezeSettings::cut_kind() const { return meaning_of(kCuts, cut); }

Change FreezeSettings::change_kind() const { return meaning_of(kChanges, change); }

const FreezeSection& freeze_section() {
  static const FreezeSection kSection = with_rule_keys(with_policy_keys(
      FreezeSection("freeze", "Which parameters are frozen, and when that is decided.")));
  return kSection;
}

std::string_view to_word(Change change) {
  for (const auto& [word, meaning] : kChanges) {
    if (meaning == change) return word;
  }
  assert(false);
  return "";
}

std::optional<Change> change_from(std::string_view word) { return look_up(kChanges, word); }

}  // namespace frostline::policy
