#include "pipeline/schedules/interleaved_1f1b.h"

#include "pipeline/schedules/depth_first.h"
#include "pipeline/schedules/rank_order.h"

namespace frostline::pipeline {
namespace {

std::optional<std::string> refuse(const PipelineShape& shape) {
  return refuse_rounds(kInterleaved1F1B.name, shape);
}

std::vector<Action> actions_of(Rank rank, const PipelineShape& shape) {
  const DepthFirst turns(shape, rank);
  const int warm_up = turns.warm_up(2);
  RankOrder order(shape.micro_batches);
  for (int forward = 0; forward < turns.turns() + warm_up; ++forward) {
    const int backward = forward - warm_up;
    if (forward < turns.turns()) order.add(ActionKind::kForward, turns.forward_stage(forward));
    if (backward >= 0) order.add(ActionKind::kBackward, turns.backward_stage(backward));
  }
  return order.take();
}

Schedule make(const ScheduleRequest& request) {
  const PipelineShape& shape = request.shape;
  Schedule schedule{std::string(kInterleaved1F1B.name), shape, looped_placement(shape), {}};
  for (const Rank rank : base::ids<Rank>(shape.ranks)) {
    schedule.actions.push_back(actions_of(rank, shape));
  }
  return schedule;
}

}  // namespace

constinit const ScheduleKind kInterleaved1F1B{
    "interleaved_1f1b", "1F1B over several chunks a rank, which take turns.", refuse, make,
    "any chunks; micro_batches a multiple of micro_batches / ranks, rounded down"};

}  // namespace frostline::pipeline
