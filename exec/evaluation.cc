#include "exec/evaluation.h"

#include "pipeline/lower.h"

namespace frostline::exec {

/// Batch by batch and, within one, in the order of the stages: no rank ever waits for a forward
/// that stands behind its own.
pipeline::Schedule forward_schedule(const pipeline::Plan& plan, int batches) {
  pipeline::Schedule schedule = plan.schedule;
  schedule.shape.micro_batches = batches;
  for (auto& actions : schedule.actions) actions.clear();
  for (const auto batch : base::ids<pipeline::MicroBatch>(batches)) {
    for (const auto stage : base::ids<pipeline::StageId>(schedule.shape.stages())) {
      auto& actions = schedule.actions.at(schedule.rank_of(stage).index());
      actions.emplace_back(pipeline::ActionKind::kForward, stage, batch);
    }
  }
  return pipeline::lower(schedule);
}

}  // namespace frostline::exec
