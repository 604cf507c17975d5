#include "policy/gradient_rule.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cassert>

#include "policy/ledger.h"
#include "policy/median.h"
#include "policy/saved_state.h"
#include "policy/window.h"

namespace frostline::policy {

using pipeline::Change;
using pipeline::FreezeMask;
using pipeline::UnitId;
using pipeline::UnitStatistics;

namespace {

/// By unit, never by position: what was ordered and what is judged are different lists.
const UnitStatistics& statistics_of(UnitId unit, std::span<const UnitStatistics> statistics) {
  const auto found = std::find_if(statistics.begin(), statistics.end(),
                                  [&](const UnitStatistics& one) { return one.unit == unit; });
  assert(found != statistics.end());
  return *found;
}

/// 0 if there are no others.
double median_of_others(UnitId unit, std::span<const UnitStatistics> statistics) {
  std::vector<double> others;
  for (const UnitStatistics& one : statistics) {
    if (one.unit != unit && one.finite) others.push_back(one.mean_gradient);
  }
  return others.empty() ? 0.0 : median(std::move(others));
}

bool all_before_are_frozen(UnitId unit, const FreezeMask& mask) {
  for (const UnitId before : base::ids<UnitId>(unit.value)) {
    if (!mask.frozen(before)) return false;
  }
  return true;
}

}  // namespace

GradientRule::GradientRule(Settings settings, const pipeline::UnitTable& units)
    : settings_(settings),
      units_(units),
      warm_up_sums_(units.units.size(), 0.0),
      warm_up_counts_(units.units.size(), 0),
      in_a_row_(units.units.size(), 0) {
  assert(settings_.size != SizeReference::kSelf || settings_.warm_up > 0);
}

pipeline::StatisticsOrder GradientRule::needs(const Situation& situation,
                                              const Thresholds& thresholds) const {
  return {observed(situation), settings_.change, thresholds.theta1};
}

std::vector<UnitId> GradientRule::observed(const Situation& situation) const {
  const bool takes_means =
      settings_.size == SizeReference::kSelf && is_warming_up(situation.judging_steps + 1);
  const bool compares_units =
      settings_.change == Change::kCommon || settings_.size == SizeReference::kMedian;
  if (takes_means || compares_units) return unfrozen(situation.mask);
  return window(units_, situation.mask, settings_.window);
}

Decision GradientRule::judge(const Situation& situation, Statistics statistics,
                             const Thresholds& thresholds) {
  Decision decision{situation.mask, {}, ""};
  if (is_warming_up(situation.judging_steps)) {
    learn_references(statistics);
  } else {
    for (const UnitId unit : window(units_, situation.mask, settings_.window)) {
      decision.verdicts.push_back(verdict(statistics_of(unit, statistics), statistics, thresholds));
    }
    count_in_a_row(decision.verdicts);
    freeze(decision.verdicts, decision.mask);
  }
  decision.remark = remark(statistics, decision.verdicts);
  return decision;
}

void GradientRule::learn_references(Statistics statistics) {
  for (const UnitStatistics& one : statistics) {
    if (!one.finite) continue;
    warm_up_sums_.at(one.unit.index()) += one.mean_gradient;
    ++warm_up_counts_.at(one.unit.index());
  }
}

double GradientRule::reference(UnitId unit, Statistics statistics) const {
  switch (settings_.size) {
    case SizeReference::kAbsolute:
      return 1.0;
    case SizeReference::kSelf:
      return warm_up_mean(unit);
    case SizeReference::kMedian:
      return median_of_others(unit, statistics);
  }
  return 0.0;
}

double GradientRule::warm_up_mean(UnitId unit) const {
  const int count = warm_up_counts_.at(unit.index());
  return count == 0 ? 0.0 : warm_up_sums_.at(unit.index()) / count;
}

Verdict GradientRule::verdict(const UnitStatistics& one, Statistics statistics,
                              const Thresholds& thresholds) const {
  Verdict verdict{.statistics = one, .reference = reference(one.unit, statistics)};
  if (!one.finite) return verdict;
  verdict.change_is_small = one.small_changes >= thresholds.theta2;
  verdict.gradient_is_small = one.mean_gradient < thresholds.theta3 * verdict.reference;
  return verdict;
}

/// A unit that is not judged this time has no judgements in a row.
void GradientRule::count_in_a_row(std::vector<Verdict>& verdicts) {
  std::vector<std::int64_t> counts(in_a_row_.size(), 0);
  for (Verdict& verdict : verdicts) {
    const std::size_t unit = verdict.statistics.unit.index();
    if (verdict.change_is_small && verdict.gradient_is_small) counts[unit] = in_a_row_[unit] + 1;
    verdict.in_a_row = counts[unit];
  }
  in_a_row_ = std::move(counts);
}

/// In forward order, so that a unit may freeze right after the one before it.
void GradientRule::freeze(const std::vector<Verdict>& verdicts, FreezeMask& mask) {
  for (const Verdict& verdict : verdicts) {
    const UnitId unit = verdict.statistics.unit;
    if (verdict.in_a_row < settings_.confirm) continue;
    if (settings_.prefix_order && !all_before_are_frozen(unit, mask)) continue;
    mask.freeze(unit);
    in_a_row_[unit.index()] = 0;
  }
}

std::string GradientRule::remark(Statistics statistics, const std::vector<Verdict>& verdicts) {
  std::vector<std::string> remarks;
  if (settings_.change == Change::kCommon && statistics.size() <= kFewestOthers &&
      !said_relative_) {
    said_relative_ = true;
    remarks.push_back(fmt::format(
        "fewer than {} other units are unfrozen: change = \"relative\" is used", kFewestOthers));
  }
  std::vector<UnitId> unusable;
  for (const UnitStatistics& one : statistics) {
    if (!one.finite) unusable.push_back(one.unit);
  }
  add_list(remarks, "not judged, for a gradient was zero, not finite or the first", unusable);
  std::vector<UnitId> without_reference;
  for (const Verdict& one : verdicts) {
    if (one.reference == 0) without_reference.push_back(one.statistics.unit);
  }
  add_list(remarks, "not frozen, for there is nothing to compare its size with", without_reference);
  return fmt::format("{}", fmt::join(remarks, "; "));
}

void GradientRule::add_list(std::vector<std::string>& remarks, const std::string& what,
                            const std::vector<UnitId>& units) const {
  if (units.empty()) return;
  std::vector<std::string> names;
  for (const UnitId unit : units) names.push_back(units_.units.at(unit.index()).name);
  remarks.push_back(fmt::format("{}: {}", what, fmt::join(names, ", ")));
}

std::string GradientRule::save() const {
  std::vector<nlohmann::json> sums;
  for (const double sum : warm_up_sums_) sums.push_back(json_of(sum));
  return nlohmann::json{{"warm_up_sums", sums},
                        {"warm_up_counts", warm_up_counts_},
                        {"in_a_row", in_a_row_},
                        {"said_relative", said_relative_}}
      .dump();
}

void GradientRule::load(const std::string& state) {
  read_state(state, "the freeze rule", [&](const nlohmann::json& saved) {
    std::vector<double> sums;
    for (const auto& sum : saved.at("warm_up_sums")) sums.push_back(double_from(sum));
    const auto counts = saved.at("warm_up_counts").get<std::vector<int>>();
    const auto in_a_row = saved.at("in_a_row").get<std::vector<std::int64_t>>();
    const std::size_t units = units_.units.size();
    if (sums.size() != units || counts.size() != units || in_a_row.size() != units) {
      throw_broken_state("the freeze rule", fmt::format("it is not of {} units", units));
    }
    saved.at("said_relative").get_to(said_relative_);
    warm_up_sums_ = std::move(sums);
    warm_up_counts_ = counts;
    in_a_row_ = in_a_row;
  });
}

}  // namespace frostline::policy
