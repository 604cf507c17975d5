#include "pipeline/schedules/rank_order.h"

#include <cassert>

namespace frostline::pipeline {

void RankOrder::add(ActionKind kind, StageId stage) {
  const Step step = next(kind, stage);
  if (step.micro_batch->value < micro_batches_) actions_.emplace_back(step);
}

void RankOrder::add_overlap(StageId forward, StageId backward) {
  const Step first = next(ActionKind::kForward, forward);
  const Step second = next(ActionKind::kBackward, backward);
  assert(first.micro_batch->value < micro_batches_ && second.micro_batch->value < micro_batches_);
  actions_.push_back(Action::overlap(first, second));
}

int RankOrder::count(ActionKind kind, StageId stage) const {
  const auto found = counts_.find({kind, stage});
  return found == counts_.end() ? 0 : found->second;
}

Step RankOrder::next(ActionKind kind, StageId stage) {
  assert(is_computation(kind));
  const bool whole = kind == ActionKind::kBackward;
  const int index = counts_[{whole ? ActionKind::kInputGradient : kind, stage}]++;
  if (whole) ++counts_[{ActionKind::kWeightGradient, stage}];
  return {kind, stage, MicroBatch{index}};
}

}  // namespace frostline::pipeline
