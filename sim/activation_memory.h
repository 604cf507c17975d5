#pragma once

#include "base/bytes.h"
#include "cost/plan_times.h"
#include "pipeline/action.h"

namespace frostline::sim {

/// The activations that one rank holds: live from F until B; when the backward is split, I releases
/// all but what W still needs and W the rest.
class ActivationMemory {
 public:
  explicit ActivationMemory(const cost::PlanTimes& times) : times_(times) {}

  /// Accounts for a computation as a whole: what it makes is held before what it uses up is
  /// released.
  void perform(const pipeline::Action& computation);
  base::Bytes held() const { return held_; }
  base::Bytes peak() const { return peak_; }

 private:
  base::Bytes made(const pipeline::Step& step) const;
  base::Bytes released(const pipeline::Step& step) const;

  const cost::PlanTimes& times_;
  base::Bytes held_;
  base::Bytes peak_;
};

}  // namespace frostline::sim
