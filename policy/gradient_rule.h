#pragma once

#include <map>
#include <span>
#include <string>
#include <vector>

#include "policy/policy.h"

namespace frostline::policy {

/// theta1 and theta2 bound the change of the gradient, theta3 its size.
struct Thresholds {
  double theta1 = 0.1;
  double theta2 = 0.8;
  double theta3 = 0.5;
};

enum class SizeReference { kAbsolute, kSelf, kMedian };

/// The two gradient tests: a unit of the window freezes if rho_k >= theta2 and A_k < theta3 * A_ref, `confirm` times in a
/// row, and, with prefix order, only if all units before it are frozen.
class GradientRule {
 public:
  struct Settings {
    pipeline::Change change = pipeline::Change::kCommon;
    SizeReference size = SizeReference::kSelf;
    int window = 8;
    int warm_up = 2;  ///< judging steps without judgement
    int confirm = 1;
    bool prefix_order = true;
  };
  GradientRule(Settings settings, const pipeline::UnitTable& units);

  pipeline::StatisticsOrder needs(const Situation& situation, const Thresholds& thresholds) const;
  Decision judge(const Situation& situation, std::span<const pipeline::UnitStatistics> statistics,
                 const Thresholds& thresholds);

  std::string save() const;
  void load(const std::string& state);

 private:
  Settings settings_;
  pipeline::UnitTable units_;
  std::vector<double> warm_up_sums_;        // of A_k, one a unit
  std::vector<int> warm_up_counts_;
  std::vector<std::int64_t> in_a_row_;      // positive judgements, one a unit
};

}  // namespace frostline::policy
