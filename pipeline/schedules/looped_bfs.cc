#include "pipeline/schedules/looped_bfs.h"

namespace frostline::pipeline {
namespace {

std::optional<std::string> refuse(const PipelineShape&) { return std::nullopt; }

std::vector<Action> actions_of(Rank rank, const PipelineShape& shape) {
  std::vector<Action> actions;
  for (int stage = rank.value; stage < shape.stages(); stage += shape.ranks) {
    for (const MicroBatch micro_batch : base::ids<MicroBatch>(shape.micro_batches)) {
      actions.emplace_back(ActionKind::kForward, StageId{stage}, micro_batch);
    }
  }
  for (std::size_t forward = actions.size(); forward > 0; --forward) {
    const Step step = actions[forward - 1].first();
    actions.emplace_back(ActionKind::kBackward, step.stage, *step.micro_batch);
  }
  return actions;
}

Schedule make(const ScheduleRequest& request) {
  const PipelineShape& shape = request.shape;
  Schedule schedule{std::string(kLoopedBfs.name), shape, looped_placement(shape), {}};
  for (const Rank rank : base::ids<Rank>(shape.ranks)) {
    schedule.actions.push_back(actions_of(rank, shape));
  }
  return schedule;
}

}  // namespace

constinit const ScheduleKind kLoopedBfs{
    "looped_bfs", "Chunk after chunk, each with all micro-batches, then all back in reverse.",
    refuse, make, "any shape"};

}  // namespace frostline::pipeline
