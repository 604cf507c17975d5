#include "sim/activation_memory.h"

#include <algorithm>

namespace frostline::sim {

using base::Bytes;
using pipeline::ActionKind;
using pipeline::Step;

void ActivationMemory::perform(const pipeline::Action& computation) {
  for (const Step& step : computation.steps()) held_ += made(step);
  peak_ = std::max(peak_, held_);
  for (const Step& step : computation.steps()) held_ -= released(step);
}

Bytes ActivationMemory::made(const Step& step) const {
  if (step.kind != ActionKind::kForward) return {};
  return times_.activation(step.stage, *step.micro_batch);
}

Bytes ActivationMemory::released(const Step& step) const {
  const Bytes whole = times_.activation(step.stage, *step.micro_batch);
  const Bytes for_weights = times_.activation_after_input_gradient(step.stage, *step.micro_batch);
  switch (step.kind) {
    case ActionKind::kBackward:
      return whole;
    case ActionKind::kInputGradient:
      return whole - for_weights;
    case ActionKind::kWeightGradient:
      return for_weights;
    default:
      return {};
  }
}

}  // namespace frostline::sim
