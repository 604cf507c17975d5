#include "pipeline/schedules/interleaved_zb.h"

#include <algorithm>

#include "pipeline/schedules/depth_first.h"
#include "pipeline/schedules/rank_order.h"

namespace frostline::pipeline {
namespace {

std::optional<std::string> refuse(const PipelineShape& shape) {
  return refuse_rounds(kInterleavedZb.name, shape);
}

std::vector<Action> actions_of(Rank rank, const PipelineShape& shape) {
  const DepthFirst turns(shape, rank);
  const int warm_up = turns.warm_up(1);
  RankOrder order(shape.micro_batches);
  const auto weight_gradient = [&](int turn) {
    order.add(ActionKind::kWeightGradient, turns.backward_stage(turn));
  };
  for (int forward = 0; forward < turns.turns() + warm_up; ++forward) {
    const int backward = forward - warm_up;
    if (forward < turns.turns()) order.add(ActionKind::kForward, turns.forward_stage(forward));
    if (backward >= 0) order.add(ActionKind::kInputGradient, turns.backward_stage(backward));
    if (backward >= rank.value) weight_gradient(backward - rank.value);
  }
  const int behind = std::min(rank.value, turns.turns());
  for (int turn = turns.turns() - behind; turn < turns.turns(); ++turn) weight_gradient(turn);
  return order.take();
}

Schedule make(const ScheduleRequest& request) {
  const PipelineShape& shape = request.shape;
  Schedule schedule{std::string(kInterleavedZb.name), shape, looped_placement(shape), {}};
  for (const Rank rank : base::ids<Rank>(shape.ranks)) {
    schedule.actions.push_back(actions_of(rank, shape));
  }
  return schedule;
}

}  // namespace

constinit const ScheduleKind kInterleavedZb{
    "interleaved_zb", "ZB-H1 over several chunks a rank, which take turns.", refuse, make,
    "any chunks; micro_batches a multiple of micro_batches / ranks, rounded down"};

}  // namespace frostline::pipeline
