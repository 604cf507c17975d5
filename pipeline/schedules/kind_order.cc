#include "pipeline/schedules/kind_order.h"

#include <algorithm>
#include <array>
#include <cassert>

namespace frostline::pipeline {
namespace {

using base::Bytes;
using base::Duration;

std::vector<Action> actions_of(const std::vector<ActionKind>& order, StageId stage) {
  std::array<int, 4> counts{};  // by kind: computations come first
  std::vector<Action> actions;
  actions.reserve(order.size());
  for (const ActionKind kind : order) {
    actions.emplace_back(kind, stage, MicroBatch{counts.at(static_cast<std::size_t>(kind))++});
  }
  return actions;
}

/// One rank's way through its list.
struct Walk {
  std::size_t done = 0;
  Duration first_start{};
  Duration end{};
  std::vector<Duration> forward_ends{};
  std::vector<Duration> gradient_ends{};

  void run(ActionKind kind, Duration ready, const StageFigures& stage) {
    const Duration start = std::max(ready, end);
    if (done++ == 0) first_start = start;
    if (kind == ActionKind::kForward) forward_ends.push_back(end = start + stage.forward);
    if (kind == ActionKind::kInputGradient) {
      gradient_ends.push_back(end = start + stage.input_gradient);
    }
    if (kind == ActionKind::kWeightGradient) end = start + stage.weight_gradient;
  }
};

class Player {
 public:
  Player(const KindOrder& order, const ScheduleRequest& request)
      : order_(order), request_(request), walks_(order.size()) {}

  Duration cost() {
    while (play_round()) {
    }
    Duration cost{};
    for (std::size_t rank = 0; rank < walks_.size(); ++rank) {
      assert(walks_[rank].done == order_[rank].size());
      cost = std::max(cost, walks_[rank].end - walks_[rank].first_start);
    }
    return cost;
  }

 private:
  /// Every rank as far as it gets; false if none got on.
  bool play_round() {
    bool went_on = false;
    for (std::size_t rank = 0; rank < walks_.size(); ++rank) {
      while (walks_[rank].done < order_[rank].size() && play_next(rank)) went_on = true;
    }
    return went_on;
  }

  bool play_next(std::size_t rank) {
    Walk& walk = walks_[rank];
    const ActionKind kind = order_[rank][walk.done];
    Duration ready{};
    if (kind == ActionKind::kForward && rank > 0) {
      if (!arrives(walks_[rank - 1].forward_ends, walk.forward_ends.size(), ready)) return false;
    } else if (kind == ActionKind::kInputGradient && rank + 1 < walks_.size()) {
      if (!arrives(walks_[rank + 1].gradient_ends, walk.gradient_ends.size(), ready)) return false;
    }
    walk.run(kind, ready, request_.stages[rank]);
    return true;
  }

  /// Whether the `index`-th is on its way, and when it arrives.
  bool arrives(const std::vector<Duration>& ends, std::size_t index, Duration& ready) const {
    if (index >= ends.size()) return false;
    ready = ends[index] + request_.send;
    return true;
  }

  const KindOrder& order_;
  const ScheduleRequest& request_;
  std::vector<Walk> walks_;
};

}  // namespace

Schedule schedule_of(std::string_view name, const PipelineShape& shape, const KindOrder& order) {
  Schedule schedule{std::string(name), shape, looped_placement(shape), {}};
  for (const StageId stage : base::ids<StageId>(shape.stages())) {
    schedule.actions.push_back(actions_of(order[stage.index()], stage));
  }
  return schedule;
}

Duration cost_of(const KindOrder& order, const ScheduleRequest& request) {
  return Player(order, request).cost();
}

Bytes peak_held(const std::vector<ActionKind>& order, const StageFigures& stage) {
  Bytes held;
  Bytes peak;
  for (const ActionKind kind : order) {
    if (kind == ActionKind::kForward) held += stage.activation;
    if (kind == ActionKind::kInputGradient) held -= stage.activation - stage.after_input_gradient;
    if (kind == ActionKind::kWeightGradient) held -= stage.after_input_gradient;
    peak = std::max(peak, held);
  }
  return peak;
}

}  // namespace frostline::pipeline
