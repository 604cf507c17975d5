#pragma once

#include "base/time.h"
#include "pipeline/action.h"

namespace frostline::pipeline {

/// How long the actions of one plan take. Evaluators ask for each action and only add and take
/// maxima.
class ActionTimes {
 public:
  virtual ~ActionTimes() = default;
  /// A computation: F, B, I, W or an overlapped pair.
  virtual base::Duration computation(const Action& action) const = 0;
  /// From the end of the computation that makes a tensor to its arrival at the other rank, for a
  /// send that waits for no other; the sender is not held up.
  virtual base::Duration delay(const Step& send) const = 0;
  /// The part of the delay in which nothing else can leave from the sender to the receiver.
  virtual base::Duration occupancy(const Step&) const { return base::Duration::zero(); }
  /// All micro-batches of a stage take the same: an evaluator need ask for one of them only.
  virtual bool uniform() const { return false; }
};

}  // namespace frostline::pipeline
