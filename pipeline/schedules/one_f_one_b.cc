#include "pipeline/schedules/one_f_one_b.h"

#include <algorithm>

#include "pipeline/schedules/unchunked.h"

namespace frostline::pipeline {
namespace {

std::optional<std::string> refuse(const PipelineShape& shape) {
  return refuse_chunks(kOneFOneB.name, shape);
}

std::vector<Action> actions_of(StageId stage, const PipelineShape& shape) {
  const int micro_batches = shape.micro_batches;
  const int warm_up = std::min(shape.ranks - 1 - stage.value, micro_batches);
  std::vector<Action> actions;
  for (int forward = 0; forward < micro_batches + warm_up; ++forward) {
    const int backward = forward - warm_up;
    if (forward < micro_batches)
      actions.emplace_back(ActionKind::kForward, stage, MicroBatch{forward});
    if (backward >= 0) actions.emplace_back(ActionKind::kBackward, stage, MicroBatch{backward});
  }
  return actions;
}

Schedule make(const ScheduleRequest& request) {
  const PipelineShape& shape = request.shape;
  Schedule schedule{std::string(kOneFOneB.name), shape, looped_placement(shape), {}};
  for (const StageId stage : base::ids<StageId>(shape.stages())) {
    schedule.actions.push_back(actions_of(stage, shape));
  }
  return schedule;
}

}  // namespace

constinit const ScheduleKind kOneFOneB{
    "1f1b", "A few forwards to warm up, then a forward and a backward in turn.", refuse, make};

}  // namespace frostline::pipeline
