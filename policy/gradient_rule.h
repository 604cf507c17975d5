#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "policy/policy.h"

namespace frostline::policy {

/// theta1 and theta2 bound the change of the gradient, theta3 its size.
struct Thresholds {
  double theta1 = 0;
  double theta2 = 0;
  double theta3 = 0;
};

enum class SizeReference { kAbsolute, kSelf, kMedian };

/// The two gradient tests: a unit of the window freezes if rho_k >= theta2 and A_k < theta3 *
/// A_ref, `confirm` times in a row, and, with prefix order, only if all units before it are frozen.
/// docs/freeze_rule.md has the definitions.
class GradientRule {
 public:
  struct Settings {
    pipeline::Change change = pipeline::Change::kCommon;
    SizeReference size = SizeReference::kSelf;  ///< kSelf needs a warm_up
    std::int64_t window = 8;
    std::int64_t warm_up = 2;  ///< judging steps without judgement
    std::int64_t confirm = 1;
    bool prefix_order = true;
  };
  GradientRule(Settings settings, const pipeline::UnitTable& units);

  pipeline::StatisticsOrder needs(const Situation& situation, const Thresholds& thresholds) const;
  /// `statistics` of all units that `needs` ordered for this judging step (asserted).
  Decision judge(const Situation& situation, std::span<const pipeline::UnitStatistics> statistics,
                 const Thresholds& thresholds);

  std::string save() const;
  /// Throws base::Error for the state of a rule over another number of units.
  void load(const std::string& state);

 private:
  using Statistics = std::span<const pipeline::UnitStatistics>;

  bool is_warming_up(std::int64_t judging_step) const { return judging_step <= settings_.warm_up; }
  std::vector<pipeline::UnitId> observed(const Situation& situation) const;
  void learn_references(Statistics statistics);
  /// A_ref, or 0 if the unit has none.
  double reference(pipeline::UnitId unit, Statistics statistics) const;
  double warm_up_mean(pipeline::UnitId unit) const;
  Verdict verdict(const pipeline::UnitStatistics& one, Statistics statistics,
                  const Thresholds& thresholds) const;
  void count_in_a_row(std::vector<Verdict>& verdicts);
  void freeze(const std::vector<Verdict>& verdicts, pipeline::FreezeMask& mask);
  std::string remark(Statistics statistics, const std::vector<Verdict>& verdicts);
  /// Nothing if there are no units to list.
  void add_list(std::vector<std::string>& remarks, const std::string& what,
                const std::vector<pipeline::UnitId>& units) const;

  Settings settings_;
  pipeline::UnitTable units_;
  std::vector<double> warm_up_sums_;    // of A_k, one a unit
  std::vector<int> warm_up_counts_;     // judging steps in the sum, one a unit
  std::vector<std::int64_t> in_a_row_;  // positive judgements, one a unit
  bool said_relative_ = false;          // that "common" fell back to "relative"
};

}  // namespace frostline::policy
