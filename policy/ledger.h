#pragma once

#include <span>
#include <string>
#include <vector>

#include "pipeline/world.h"

namespace frostline::policy {

/// What is read of one unit's gradient after accumulation and reduction, before clipping.
struct GradientSample {
  double mean_abs = 0;      ///< g_t: mean over elements of |dL/dp|
  double squared_norm = 0;  ///< sum over elements of (dL/dp)^2; for drift
};

/// The record of the units' gradients and gradient changes: the one streaming reduction that every world uses. Memory is
/// a few numbers a unit ordered. docs/freeze_rule.md has the definitions.
class Ledger {
 public:
  /// Begins a judging step. The last gradients of the one before are g_0 for the units that it observed too; for others changes
  /// start at t = 2 and rho divides by S - 1.
  void begin(const pipeline::StatisticsOrder& order);
  /// One optimizer step: a sample for each unit ordered, in that order. A NaN or infinite one marks the unit.
  void observe(std::span<const GradientSample> samples);
  /// Ends the judging step. For drift: the squared norm of each unit's summed gradient.
  std::vector<pipeline::UnitStatistics> finish(std::span<const double> squared_norms_of_sums = {});

  const pipeline::StatisticsOrder& order() const { return order_; }
  int steps() const { return steps_; }

  std::string save() const;
  void load(const std::string& state);

 private:
  struct Account {
    double last = 0;        ///< g of the step before
    bool has_last = false;
    double sum = 0;         ///< of g
    double changes = 0;     ///< sum of c
    double squared = 0;     ///< sum of squared norms
    int counted = 0;        ///< changes counted
    int small = 0;
    bool finite = true;
  };
  pipeline::StatisticsOrder order_;
  std::vector<Account> accounts_;
  int steps_ = 0;
};

}  // namespace frostline::policy
