#pragma once

#include <cstdint>

#include "base/time.h"

namespace frostline::pipeline {

/// What a run may use up, and what it has used. Everything that takes time on the run's clock is
/// charged: steps, transitions, validations and checkpoints.
struct Budget {
  enum class Kind { kSteps, kTime };

  Kind kind = Kind::kSteps;
  std::int64_t steps = 0;  ///< the limit, if kSteps
  base::Duration time{};   ///< the limit, if kTime
  std::int64_t used_steps = 0;
  base::Duration used_time{};

  void charge(base::Duration cost) { used_time += cost; }
  void charge_step(base::Duration cost) {
    charge(cost);
    ++used_steps;
  }
  /// The part that is used up, 0..1.
  double share() const;
  bool exhausted() const { return share() >= 1.0; }

  friend bool operator==(const Budget&, const Budget&) = default;
};

/// How the learning rate follows the share of the budget that is used up, so that time saved by
/// freezing becomes more steps at the same schedule.
struct LearningRateRule {
  enum class Shape { kConstant, kLinear, kCosine };

  double peak = 1e-3;
  Shape shape = Shape::kCosine;
  double warm_up = 0.0;      ///< share of the budget with a linear rise from 0, 0..1
  double final_share = 0.0;  ///< learning rate at the end over the peak, 0..1

  double at(double share) const;
};

}  // namespace frostline::pipeline
