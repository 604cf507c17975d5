#include "policy/ledger.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <unordered_map>

#include "policy/median.h"

namespace frostline::policy {
namespace {

using pipeline::Change;
using pipeline::UnitId;
using pipeline::UnitStatistics;

/// Below this a gradient counts as this, so that the relative change stays finite.
constexpr double kSmallestGradient = 1e-12;

/// A gradient of exactly zero has no logarithm, and belongs to a unit that takes no part.
bool is_usable(double gradient) { return std::isfinite(gradient) && gradient > 0; }

double relative_change(double now, double before) {
  return std::abs(now - before) / std::max(before, kSmallestGradient);
}

/// A value and the place that it belongs to, so that a sorted list still knows whose is whose.
struct Placed {
  double value;
  std::size_t place;
};

void sort_by_value(std::vector<Placed>& list) {
  std::sort(list.begin(), list.end(),
            [](const Placed& a, const Placed& b) { return a.value < b.value; });
}

/// Sums of finite numbers may still overflow.
bool add(double& sum, double value) {
  const double added = sum + value;
  if (!std::isfinite(added)) return false;
  sum = added;
  return true;
}

}  // namespace

void Ledger::begin(const pipeline::StatisticsOrder& order) {
  std::unordered_map<UnitId, std::optional<double>> last;
  for (std::size_t i = 0; i < accounts_.size(); ++i) last[order_.units[i]] = accounts_[i].last;
  order_ = order;
  accounts_.assign(order_.units.size(), {});
  steps_ = 0;
  for (std::size_t i = 0; i < accounts_.size(); ++i) {
    const auto found = last.find(order_.units[i]);
    if (found != last.end()) accounts_[i].last = found->second;
  }
}

void Ledger::observe(std::span<const GradientSample> samples) {
  assert(samples.size() == accounts_.size());
  const Changes all_changes = changes(samples);
  for (std::size_t i = 0; i < accounts_.size(); ++i) {
    Account& account = accounts_[i];
    const double gradient = samples[i].mean_abs;
    const bool usable = is_usable(gradient) && add(account.sum, gradient);
    account.last = usable ? std::optional(gradient) : std::nullopt;
    account.finite = account.finite && usable;
    if (order_.change == Change::kDrift && !add(account.squared, samples[i].squared_norm)) {
      account.finite = false;
    }
    if (const auto& change = all_changes[i]; change && add(account.changes, *change)) {
      ++account.counted;
      if (*change < order_.theta1) ++account.small;
    }
  }
  ++steps_;
}

Ledger::Changes Ledger::changes(std::span<const GradientSample> samples) const {
  switch (order_.change) {
    case Change::kRelative:
      return relative_changes(samples);
    case Change::kCommon:
      return common_changes(samples);
    case Change::kDrift:
      return Changes(samples.size());
  }
  return {};
}

Ledger::Changes Ledger::relative_changes(std::span<const GradientSample> samples) const {
  Changes found(samples.size());
  for (std::size_t i = 0; i < samples.size(); ++i) {
    const double now = samples[i].mean_abs;
    if (accounts_[i].last && is_usable(now)) found[i] = relative_change(now, *accounts_[i].last);
  }
  return found;
}

/// Units that have no change at this step take no part in the others' median.
Ledger::Changes Ledger::common_changes(std::span<const GradientSample> samples) const {
  std::vector<Placed> logs;
  for (std::size_t i = 0; i < samples.size(); ++i) {
    const double now = samples[i].mean_abs;
    if (accounts_[i].last && is_usable(now)) {
      logs.push_back({std::log(now) - std::log(*accounts_[i].last), i});
    }
  }
  if (logs.size() <= kFewestOthers) return relative_changes(samples);
  sort_by_value(logs);
  std::vector<double> sorted;
  for (const Placed& log : logs) sorted.push_back(log.value);
  Changes found(samples.size());
  for (std::size_t k = 0; k < logs.size(); ++k) {
    found[logs[k].place] = std::abs(logs[k].value - median_without(sorted, k));
  }
  return found;
}

std::vector<UnitStatistics> Ledger::finish(std::span<const double> squared_norms_of_sums) {
  const bool drift = order_.change == Change::kDrift;
  assert(!drift || squared_norms_of_sums.size() == accounts_.size());
  std::vector<UnitStatistics> all;
  for (std::size_t i = 0; i < accounts_.size(); ++i) {
    all.push_back(drift ? drift_statistics(accounts_[i], squared_norms_of_sums[i])
                        : change_statistics(accounts_[i]));
    all.back().unit = order_.units[i];
    all.back().mean_gradient = steps_ > 0 ? accounts_[i].sum / steps_ : 0.0;
  }
  return all;
}

UnitStatistics Ledger::change_statistics(const Account& account) const {
  UnitStatistics statistics;
  statistics.finite = account.finite && account.counted > 0;
  if (account.counted == 0) return statistics;
  statistics.small_changes = static_cast<double>(account.small) / account.counted;
  statistics.change = account.changes / account.counted;
  return statistics;
}

/// Of one step the drift is 1 whatever the unit does.
UnitStatistics Ledger::drift_statistics(const Account& account, double squared_norm_of_sum) const {
  UnitStatistics statistics;
  const double drift = std::sqrt(squared_norm_of_sum) / std::sqrt(account.squared);
  statistics.finite = account.finite && steps_ > 1 && std::isfinite(drift);
  if (!std::isfinite(drift)) return statistics;
  statistics.change = drift;
  statistics.small_changes = drift < order_.theta1 ? 1.0 : 0.0;
  return statistics;
}

}  // namespace frostline::policy
