#include "pipeline/schedules/gpipe.h"

#include "pipeline/schedules/unchunked.h"

namespace frostline::pipeline {
namespace {

std::optional<std::string> refuse(const PipelineShape& shape) {
  return refuse_chunks(kGPipe.name, shape);
}

std::vector<Action> actions_of(StageId stage, int micro_batches) {
  std::vector<Action> actions;
  for (const ActionKind kind : {ActionKind::kForward, ActionKind::kBackward}) {
    for (const MicroBatch micro_batch : base::ids<MicroBatch>(micro_batches)) {
      actions.emplace_back(kind, stage, micro_batch);
    }
  }
  return actions;
}

Schedule make(const ScheduleRequest& request) {
  const PipelineShape& shape = request.shape;
  Schedule schedule{std::string(kGPipe.name), shape, looped_placement(shape), {}};
  for (const StageId stage : base::ids<StageId>(shape.stages())) {
    schedule.actions.push_back(actions_of(stage, shape.micro_batches));
  }
  return schedule;
}

}  // namespace

constinit const ScheduleKind kGPipe{"gpipe", "All forwards, then all backwards.", refuse, make};

}  // namespace frostline::pipeline
