#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "pipeline/world.h"

namespace frostline::policy {

/// Change::kCommon takes the median over this many other units at least, and falls back to
/// Change::kRelative where there are fewer.
inline constexpr std::size_t kFewestOthers = 3;

/// What is read of one unit's gradient after accumulation and reduction, before clipping.
struct GradientSample {
  double mean_abs = 0;      ///< g_t: mean over elements of |dL/dp|
  double squared_norm = 0;  ///< sum over elements of (dL/dp)^2; read for drift alone
};

/// The record of the units' gradients and gradient changes: the one streaming reduction that every
/// world uses. Memory is a few numbers a unit ordered. docs/freeze_rule.md has the definitions.
class Ledger {
 public:
  /// Begins a judging step. The last gradients of the one before are g_0 for the units that it
  /// observed too; for others changes start at t = 2 and rho divides by S - 1.
  void begin(const pipeline::StatisticsOrder& order);
  /// One optimizer step: a sample for each unit ordered, in that order. A gradient of which nothing
  /// can be said, zero, NaN or infinite, marks the unit.
  void observe(std::span<const GradientSample> samples);
  /// Ends the judging step. For drift: the squared norm of each unit's summed gradient.
  ///
  /// A marked unit, and one without a single change to count, comes back with finite = false; its
  /// other figures leave out the steps that cannot be used.
  std::vector<pipeline::UnitStatistics> finish(std::span<const double> squared_norms_of_sums = {});

  const pipeline::StatisticsOrder& order() const { return order_; }
  int steps() const { return steps_; }

  /// All of it, also in the middle of a judging step, as JSON; `load` restores every bit.
  std::string save() const;
  void load(const std::string& state);

 private:
  struct Account {
    std::optional<double> last;  ///< g of the step before, if it can be used
    double sum = 0;              ///< of g
    double changes = 0;          ///< sum of c
    double squared = 0;          ///< sum of squared norms
    int counted = 0;             ///< changes counted
    int small = 0;
    bool finite = true;
  };
  using Changes = std::vector<std::optional<double>>;

  Changes changes(std::span<const GradientSample> samples) const;
  Changes relative_changes(std::span<const GradientSample> samples) const;
  Changes common_changes(std::span<const GradientSample> samples) const;
  pipeline::UnitStatistics change_statistics(const Account& account) const;
  pipeline::UnitStatistics drift_statistics(const Account& account,
                                            double squared_norm_of_sum) const;

  pipeline::StatisticsOrder order_;
  std::vector<Account> accounts_;  // one a unit of the order
  int steps_ = 0;
};

}  // namespace frostline::policy
