#include "pipeline/schedules/memory_limited.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "pipeline/schedules/greedy_order.h"

namespace frostline::pipeline {
namespace {

using base::Bytes;
using base::Duration;

/// All times equal, and half of an activation is held between I and W.
constexpr StageFigures kEqual{Duration(1), Duration(1), Duration(1), {2}, {1}};

/// What each rank may hold. More than all micro-batches never counts.
std::vector<Bytes> limits_of(const ScheduleRequest& request) {
  const double micro_batches =
      std::min<double>(request.memory_limit * request.shape.ranks, request.shape.micro_batches);
  std::vector<Bytes> limits;
  for (const StageFigures& stage : request.stages) {
    const auto whole = static_cast<double>(stage.activation.count);
    limits.push_back({static_cast<std::int64_t>(std::floor(micro_batches * whole))});
  }
  return limits;
}

GreedyOrder best_greedy_order(const ScheduleRequest& request) {
  const std::vector<Bytes> limits = limits_of(request);
  GreedyOrder best;
  best.cost = Duration::max();
  for (const bool fill_warm_up : {false, true}) {
    for (const bool put_off_forwards : {false, true}) {
      for (const bool fill_every_gap : {false, true}) {
        GreedyOrder order =
            greedy_order(request, limits, {fill_warm_up, put_off_forwards, fill_every_gap});
        if (order.cost < best.cost) best = std::move(order);
      }
    }
  }
  return best;
}

}  // namespace

Schedule memory_limited(std::string_view name, const ScheduleRequest& asked, double own_limit) {
  ScheduleRequest request = asked;
  if (request.memory_limit == 0) request.memory_limit = own_limit;
  if (request.stages.empty()) {
    request.stages.assign(static_cast<std::size_t>(request.shape.stages()), kEqual);
  }
  const PipelineShape& shape = request.shape;
  return {std::string(name), shape, looped_placement(shape), best_greedy_order(request).actions};
}

}  // namespace frostline::pipeline
