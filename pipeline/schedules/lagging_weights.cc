#include "pipeline/schedules/lagging_weights.h"

#include <algorithm>

namespace frostline::pipeline {
namespace {

struct Lags {
  int input_gradient;   ///< of I behind F, in micro-batches
  int weight_gradient;  ///< of W behind I
};

std::vector<Action> actions_of(StageId stage, int micro_batches, const Lags& lags) {
  std::vector<Action> actions;
  const auto add = [&](ActionKind kind, int micro_batch) {
    if (micro_batch < 0 || micro_batch >= micro_batches) return;
    actions.emplace_back(kind, stage, MicroBatch{micro_batch});
  };
  const int rounds = micro_batches + lags.input_gradient + lags.weight_gradient;
  for (int round = 0; round < rounds; ++round) {
    const int input_gradient = round - lags.input_gradient;
    add(ActionKind::kForward, round);
    add(ActionKind::kInputGradient, input_gradient);
    add(ActionKind::kWeightGradient, input_gradient - lags.weight_gradient);
  }
  return actions;
}

}  // namespace

Schedule lagging_weights(std::string_view name, const PipelineShape& shape, int depth) {
  Schedule schedule{std::string(name), shape, looped_placement(shape), {}};
  for (const StageId stage : base::ids<StageId>(shape.stages())) {
    const int warm_up = std::min(depth * (shape.ranks - 1 - stage.value), shape.micro_batches);
    schedule.actions.push_back(
        actions_of(stage, shape.micro_batches, {warm_up, depth * stage.value}));
  }
  return schedule;
}

}  // namespace frostline::pipeline
