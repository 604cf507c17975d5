#include "pipeline/schedules/memory_limited.h"

#include <algorithm>
#include <cassert>
#include <cmath>

#include "pipeline/schedules/greedy_order.h"
#include "pipeline/schedules/lagging_weights.h"

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
  assert(micro_batches >= 1);
  std::vector<Bytes> limits;
  for (const StageFigures& stage : request.stages) {
    const auto whole = static_cast<double>(stage.activation.count);
    limits.push_back({static_cast<std::int64_t>(std::floor(micro_batches * whole))});
  }
  return limits;
}

/// Keeps the shortest of the orders within the limits.
class Search {
 public:
  explicit Search(const ScheduleRequest& request) : request_(request), limits_(limits_of(request)) {
    best_.cost = Duration::max();
  }

  /// Among equals the first is kept: with the shorter warm-up.
  void try_greedy() {
    for (const bool fill_warm_up : {false, true}) {
      for (const bool put_off_forwards : {true, false}) {
        for (const bool fill_every_gap : {true, false}) {
          const GreedyChoices choices{fill_warm_up, put_off_forwards, fill_every_gap};
          if (auto order = greedy_order(request_, limits_, choices, best_.cost)) {
            best_ = std::move(*order);
          }
        }
      }
    }
  }

  void try_lagging(int depth) {
    KindOrder order = lagging_weights(request_.shape, depth);
    if (!fits(order)) return;
    const Duration cost = cost_of(order, request_);
    if (cost < best_.cost) best_ = {std::move(order), cost};
  }

  const KindOrder& best() const { return best_.kinds; }

 private:
  bool fits(const KindOrder& order) const {
    for (std::size_t rank = 0; rank < limits_.size(); ++rank) {
      if (peak_held(order[rank], request_.stages[rank]) > limits_[rank]) return false;
    }
    return true;
  }

  const ScheduleRequest& request_;
  std::vector<Bytes> limits_;
  GreedyOrder best_;
};

ScheduleRequest completed(ScheduleRequest request, double own_limit) {
  if (request.memory_limit == 0) request.memory_limit = own_limit;
  if (request.stages.empty()) {
    request.stages.assign(static_cast<std::size_t>(request.shape.stages()), kEqual);
  }
  return request;
}

}  // namespace

Schedule memory_limited(std::string_view name, const ScheduleRequest& asked, double own_limit) {
  const ScheduleRequest request = completed(asked, own_limit);
  Search search(request);
  search.try_greedy();
  search.try_lagging(1);
  search.try_lagging(2);
  return schedule_of(name, request.shape, search.best());
}

}  // namespace frostline::pipeline
