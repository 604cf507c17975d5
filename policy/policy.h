#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "pipeline/freeze_mask.h"
#include "pipeline/world.h"

namespace frostline::policy {

/// Where a run stands when a policy is asked.
struct Situation {
  pipeline::FreezeMask mask;
  /// Done so far: k - 1 when asked what judging step k needs, k when asked to decide at its end.
  std::int64_t judging_steps = 0;
  std::int64_t steps = 0;       ///< optimizer steps done so far
  double budget_share = 0;      ///< used up, 0..1
  std::optional<double> score;  ///< the last validation's
};

/// What the two gradient tests said of one unit.
struct Verdict {
  pipeline::UnitStatistics statistics;
  double reference = 1.0;          ///< A_ref; 0 if the unit has none, and then nothing is small
  bool change_is_small = false;    ///< result1
  bool gradient_is_small = false;  ///< result2
  std::int64_t in_a_row = 0;       ///< positive judgements so far, this one included
};

struct Decision {
  pipeline::FreezeMask mask;      ///< from the next step on
  std::vector<Verdict> verdicts;  ///< of the units that were judged
  std::string remark;             ///< one line for people, or ""
};

/// When to freeze. Asked at the end of every judging step; deterministic given what it is shown.
class Policy {
 public:
  virtual ~Policy() = default;

  /// The mask before the first step.
  virtual pipeline::FreezeMask initial_mask() const = 0;
  /// What the next judging step must observe; a world computes nothing else.
  virtual pipeline::StatisticsOrder needs(const Situation& situation) const = 0;
  virtual Decision decide(const Situation& situation,
                          std::span<const pipeline::UnitStatistics> statistics) = 0;
  /// Whether a mask that freezes everything is what the user asked for, rather than the end of the
  /// run.
  virtual bool fixed_from_the_start() const { return false; }
  /// Whether it reads gradients, which a world without a model of learning does not have.
  virtual bool reads_gradients() const { return false; }

  /// Everything that it remembers, as JSON; what `load` restores.
  virtual std::string save() const { return "{}"; }
  virtual void load(const std::string&) {}
};

}  // namespace frostline::policy
