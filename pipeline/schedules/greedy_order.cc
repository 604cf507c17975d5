#include "pipeline/schedules/greedy_order.h"

#include <algorithm>
#include <cassert>

namespace frostline::pipeline {
namespace {

using base::Bytes;
using base::Duration;

struct RankState {
  StageFigures figures;
  Bytes limit;
  int forwards = 0;
  int input_gradients = 0;
  int weight_gradients = 0;
  Bytes held{};
  Duration first_start{};
  Duration end{};             ///< of its last computation
  Duration idle{};            ///< since its first
  Duration gradient_ready{};  ///< when the next gradient has arrived from the rank behind
  std::vector<Duration> forward_ends{};
  std::vector<ActionKind> kinds{};

  bool owes_weight_gradient() const { return weight_gradients < input_gradients; }
  bool fits_another() const { return held + figures.activation <= limit; }
  Bytes held_for_weights() const { return figures.after_input_gradient; }
};

class GreedyPass {
 public:
  GreedyPass(const ScheduleRequest& request, const std::vector<Bytes>& limits,
             const GreedyChoices& choices, Duration bound)
      : micro_batches_(request.shape.micro_batches),
        send_(request.send),
        choices_(choices),
        bound_(bound) {
    for (std::size_t rank = 0; rank < limits.size(); ++rank) {
      ranks_.push_back({request.stages.at(rank), limits[rank]});
      assert(ranks_.back().fits_another());
      ranks_.back().forward_ends.reserve(static_cast<std::size_t>(micro_batches_));
      ranks_.back().kinds.reserve(3 * static_cast<std::size_t>(micro_batches_));
    }
  }

  std::optional<GreedyOrder> run() {
    warm_up();
    for (int round = 0; round < micro_batches_; ++round) {
      if (too_long_) return std::nullopt;
      if (round > 0) forwards();
      input_gradients();
    }
    for (std::size_t rank = 0; rank < ranks_.size(); ++rank) {
      while (ranks_[rank].owes_weight_gradient()) weight_gradient(rank);
    }
    if (too_long_) return std::nullopt;
    return order();
  }

 private:
  void warm_up() {
    for (std::size_t rank = 0; rank < ranks_.size(); ++rank) forward(rank);
    const std::vector<int> more = warm_up_forwards();
    for (std::size_t rank = 0; rank < ranks_.size(); ++rank) {
      for (int i = 0; i < more[rank]; ++i) forward(rank);
    }
  }

  /// How many more than the first. A rank is to keep a forward ahead of the rank behind it.
  std::vector<int> warm_up_forwards() const {
    std::vector<int> more(ranks_.size());
    Duration gradient{};  // when the first one has arrived
    for (std::size_t rank = ranks_.size(); rank-- > 0;) {
      const RankState& state = ranks_[rank];
      more[rank] = rank + 1 == ranks_.size() ? 0 : forwards_until(gradient, state);
      const Duration ready = state.end + more[rank] * state.figures.forward;
      gradient = std::max(ready, gradient) + state.figures.input_gradient + send_;
    }
    for (std::size_t rank = 1; rank < ranks_.size(); ++rank) {
      const int before = more[rank - 1];
      const int most = 1 + before == micro_batches_ ? before : std::max(before - 1, 0);
      more[rank] = std::min(more[rank], most);
    }
    return more;
  }

  int forwards_until(Duration gradient, const RankState& state) const {
    int more = 0;
    Bytes held = state.held + state.figures.activation;
    Duration end = state.end;
    while (1 + more < micro_batches_ && held <= state.limit) {
      const Duration allowed =
          choices_.fill_warm_up ? end + Duration(1) : end + state.figures.forward;
      if (allowed > gradient) break;
      held += state.figures.activation;
      end += state.figures.forward;
      ++more;
    }
    return more;
  }

  /// One a rank, but for those that are put off. Where a rank puts one off, so do the ranks before
  /// it: else it would only lie there.
  void forwards() {
    std::vector<bool> due(ranks_.size());
    bool go_on = true;
    for (std::size_t rank = ranks_.size(); rank-- > 0;) {
      go_on = go_on && ranks_[rank].forwards < micro_batches_ && !puts_off(rank);
      due[rank] = go_on;
    }
    for (std::size_t rank = 0; rank < ranks_.size(); ++rank) {
      if (!due[rank]) continue;
      make_room(rank);
      if (rank > 0) fill_gap(rank, forward_arrival(rank));
      forward(rank);
    }
  }

  /// Whether the rank has forwards to spare and a further one would delay the gradient that it
  /// sends on, while waiting for that makes it no idler than the idlest.
  bool puts_off(std::size_t rank) const {
    if (!choices_.put_off_forwards || rank + 1 == ranks_.size()) return false;
    const RankState& state = ranks_[rank];
    const RankState& behind = ranks_[rank + 1];
    if (state.forwards < behind.forwards + 2) return false;
    const Duration gradient =
        behind.end + behind.figures.forward + behind.figures.input_gradient + send_;
    if (end_with_forward(state) <= gradient) return false;
    return gradient - state.end <= most_idle_ - state.idle;
  }

  /// With the weight gradients that have to go first to make room.
  static Duration end_with_forward(const RankState& state) {
    Duration end = state.end + state.figures.forward;
    Bytes held = state.held + state.figures.activation;
    for (int owed = state.input_gradients - state.weight_gradients; held > state.limit && owed > 0;
         --owed) {
      held -= state.held_for_weights();
      end += state.figures.weight_gradient;
    }
    return end;
  }

  void input_gradients() {
    for (std::size_t rank = ranks_.size(); rank-- > 0;) {
      RankState& state = ranks_[rank];
      if (rank + 1 < ranks_.size()) fill_gap(rank, state.gradient_ready);
      // Nobody waits for the first rank's gradients.
      if (rank == 0 && state.forwards == micro_batches_) {
        while (state.owes_weight_gradient()) weight_gradient(rank);
      }
      input_gradient(rank);
    }
  }

  void make_room(std::size_t rank) {
    while (!ranks_[rank].fits_another()) weight_gradient(rank);
  }

  /// Weight gradients until `arrival`.
  void fill_gap(std::size_t rank, Duration arrival) {
    RankState& state = ranks_[rank];
    while (state.owes_weight_gradient() && state.end + state.figures.weight_gradient <= arrival) {
      weight_gradient(rank);
    }
    if (!state.owes_weight_gradient() || state.end >= arrival) return;
    const bool idlest = arrival - state.end > most_idle_ - state.idle;
    if (idlest || choices_.fill_every_gap) weight_gradient(rank);
  }

  Duration forward_arrival(std::size_t rank) const {
    const auto next = static_cast<std::size_t>(ranks_[rank].forwards);
    return ranks_[rank - 1].forward_ends.at(next) + send_;
  }

  void forward(std::size_t rank) {
    RankState& state = ranks_[rank];
    const Duration ready = rank > 0 ? forward_arrival(rank) : Duration{};
    if (state.forwards == 0) state.first_start = state.end = ready;
    ++state.forwards;
    add(rank, ActionKind::kForward, ready, state.figures.forward);
    state.forward_ends.push_back(state.end);
    state.held += state.figures.activation;
  }

  void input_gradient(std::size_t rank) {
    RankState& state = ranks_[rank];
    ++state.input_gradients;
    add(rank, ActionKind::kInputGradient, state.gradient_ready, state.figures.input_gradient);
    if (rank > 0) ranks_[rank - 1].gradient_ready = state.end + send_;
    state.held -= state.figures.activation - state.held_for_weights();
  }

  void weight_gradient(std::size_t rank) {
    RankState& state = ranks_[rank];
    assert(state.owes_weight_gradient());
    ++state.weight_gradients;
    add(rank, ActionKind::kWeightGradient, state.end, state.figures.weight_gradient);
    state.held -= state.held_for_weights();
  }

  void add(std::size_t rank, ActionKind kind, Duration ready, Duration time) {
    RankState& state = ranks_[rank];
    const Duration start = std::max(ready, state.end);
    state.idle += start - state.end;
    state.end = start + time;
    if (state.idle + work(state) >= bound_) too_long_ = true;
    most_idle_ = std::max(most_idle_, state.idle);
    state.kinds.push_back(kind);
  }

  Duration work(const RankState& state) const {
    const StageFigures& stage = state.figures;
    return micro_batches_ * (stage.forward + stage.input_gradient + stage.weight_gradient);
  }

  GreedyOrder order() {
    GreedyOrder order;
    for (RankState& state : ranks_) {
      order.cost = std::max(order.cost, state.end - state.first_start);
      order.kinds.push_back(std::move(state.kinds));
    }
    return order;
  }

  int micro_batches_;
  Duration send_;
  GreedyChoices choices_;
  std::vector<RankState> ranks_;
  Duration most_idle_{};
  Duration bound_;
  bool too_long_ = false;
};

}  // namespace

std::optional<GreedyOrder> greedy_order(const ScheduleRequest& request,
                                        const std::vector<Bytes>& limits,
                                        const GreedyChoices& choices, Duration bound) {
  assert(request.stages.size() == limits.size());
  return GreedyPass(request, limits, choices, bound).run();
}

}  // namespace frostline::pipeline
