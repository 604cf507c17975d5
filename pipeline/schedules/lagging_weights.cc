#include "pipeline/schedules/lagging_weights.h"

#include <algorithm>

namespace frostline::pipeline {
namespace {

struct Lags {
  int input_gradient;   ///< of I behind F, in micro-batches
  int weight_gradient;  ///< of W behind I
};

std::vector<ActionKind> kinds_of(int micro_batches, const Lags& lags) {
  std::vector<ActionKind> kinds;
  const auto add = [&](ActionKind kind, int micro_batch) {
    if (0 <= micro_batch && micro_batch < micro_batches) kinds.push_back(kind);
  };
  const int rounds = micro_batches + lags.input_gradient + lags.weight_gradient;
  for (int round = 0; round < rounds; ++round) {
    const int input_gradient = round - lags.input_gradient;
    add(ActionKind::kForward, round);
    add(ActionKind::kInputGradient, input_gradient);
    add(ActionKind::kWeightGradient, input_gradient - lags.weight_gradient);
  }
  return kinds;
}

}  // namespace

KindOrder lagging_weights(const PipelineShape& shape, int depth) {
  KindOrder order;
  for (int rank = 0; rank < shape.ranks; ++rank) {
    const int warm_up = std::min(depth * (shape.ranks - 1 - rank), shape.micro_batches);
    order.push_back(kinds_of(shape.micro_batches, {warm_up, depth * rank}));
  }
  return order;
}

}  // namespace frostline::pipeline
