#pragma once

#include <algorithm>
#include <coroutine>
#include <optional>
#include <string>
#include <vector>

#include "cost/plan_times.h"
#include "pipeline/schedule.h"
#include "pipeline/span.h"
#include "pipeline/stage.h"
#include "pipeline/stage_times.h"
#include "pipeline/step_use.h"
#include "sim/event_loop.h"
#include "sim/links.h"
#include "sim/noise.h"
#include "sim/tensors.h"

namespace frostline::sim {

/// What the ranks of one simulated step share. All of it outlives them.
struct SharedStep {
  const pipeline::Schedule& schedule;
  const cost::PlanTimes& times;
  const pipeline::StageTimes& stage_times;
  EventLoop& loop;
  Tensors& tensors;
  Links* links = nullptr;        ///< null: a transfer is a delay that waits for no other
  const Noise* noise = nullptr;  ///< null: none
  base::Duration start{};        ///< of the step on the run's clock, for noise
  std::int64_t step = 0;         ///< its number
  bool records_spans = false;
};

/// One rank's device in virtual time: it computes one action at a time, as soon as it gets there
/// and all inputs are there.
class SimulatedStage final : public pipeline::Stage {
 public:
  SimulatedStage(pipeline::Rank rank, SharedStep& shared, std::vector<SimulatedStage*>& ranks,
                 std::vector<pipeline::LastGradient>& gradients)
      : rank_(rank),
        shared_(&shared),
        loop_(&shared.loop),
        ranks_(&ranks),
        gradients_(&gradients),
        last_stage_(shared.schedule.last_stage()),
        ideal_(shared.links == nullptr && shared.noise == nullptr) {}

  auto perform(const pipeline::Action& action) {
    return Performance<SimulatedStage>{*this, action};
  }
  bool begin(const pipeline::Action& action, std::coroutine_handle<> waiting) override {
    if (pipeline::is_computation(action)) {
      pending_ = &action;
      waiting_ = waiting;
      wake();
      return false;
    }
    const pipeline::Step step = action.first();
    if (pipeline::is_send(step.kind)) {
      if (shared_->links != nullptr) return send_over_links(action, waiting);
      send(step);
    } else if (pipeline::is_receive(step.kind)) {
      post(step);
    }
    // What reductions take comes after the step: cost/gradient_reduction.
    return true;
  }

  /// To be called when an input's arrival has become known.
  void wake() {
    if (pending_ != nullptr && has_inputs(*pending_)) compute(*pending_);
  }

  const pipeline::RankUse& use() const { return use_; }
  const std::vector<pipeline::Span>& spans() const { return spans_; }
  /// "rank 1 stands before 1F0, which waits for ...", of a rank that did not get to its end.
  std::string blockade() const;

 private:
  bool has_inputs(const pipeline::Action& computation) {
    start_ = loop_->now();
    if (!computation.is_overlap()) return has_inputs(computation.first());
    for (const pipeline::Step& step : computation.steps()) {
      if (!has_inputs(step)) return false;
    }
    return true;
  }
  /// Moves the start to the arrival of the input.
  bool has_inputs(const pipeline::Step& computation) {
    using pipeline::ActionKind;
    Tensors& tensors = shared_->tensors;
    const pipeline::MicroBatch batch = *computation.micro_batch;
    if (computation.kind == ActionKind::kForward) {
      if (computation.stage.value == 0) return true;
      return takes(tensors.output(computation.stage.previous(), batch));
    }
    if (computation.kind == ActionKind::kWeightGradient) {
      return tensors.gradient(computation.stage, batch).computed();
    }
    if (!tensors.output(computation.stage, batch).computed()) return false;
    return computation.stage == last_stage_ ||
           takes(tensors.gradient(computation.stage.next(), batch));
  }
  bool takes(const Tensor& input) {
    if (!input.available()) return false;
    start_ = std::max(start_, input.arrival());
    return true;
  }

  void compute(const pipeline::Action& action) {
    pending_ = nullptr;
    base::Duration duration = shared_->stage_times.computation(action);
    if (!ideal_) duration = disturbed(action, duration);
    const base::Duration end = start_ + duration;
    if (action.is_overlap()) {
      for (const pipeline::Step& step : action.steps()) finish(step, end);
    } else {
      finish(action.first(), end);
    }
    use_.add(start_, end);
    if (shared_->records_spans) spans_.push_back({rank_, action, start_, end});
    loop_->resume_at(end, waiting_);
  }
  void finish(const pipeline::Step& step, base::Duration end) {
    using pipeline::ActionKind;
    const bool forward = step.kind == ActionKind::kForward;
    if (step.kind == ActionKind::kBackward || step.kind == ActionKind::kWeightGradient) {
      (*gradients_)[step.stage.index()] = {start_, end};
      if (step.kind == ActionKind::kWeightGradient) return;
    }
    Tensor& made = shared_->tensors.of(step);
    if (stays(step.stage, forward)) {
      made.keep(end);
    } else {
      made.compute();
    }
  }
  /// The neighbour that needs it is on this rank, or there is none.
  bool stays(pipeline::StageId stage, bool forward) const {
    if (forward ? stage == last_stage_ : stage.value == 0) return true;
    return rank_of(forward ? stage.next() : stage.previous()) == rank_;
  }
  pipeline::Rank rank_of(pipeline::StageId stage) const {
    return shared_->schedule.rank_of_stage[stage.index()];
  }
  pipeline::StageId receiver_of(const pipeline::Step& send) const {
    return send.kind == pipeline::ActionKind::kSendForward ? send.stage.next()
                                                           : send.stage.previous();
  }

  /// Begins a transfer now; the rank that receives it learns when it will arrive.
  void send(const pipeline::Step& send) {
    shared_->tensors.of(send).send(loop_->now() + shared_->stage_times.transfer(send).delay);
    (*ranks_)[rank_of(receiver_of(send)).index()]->wake();
  }
  void post(const pipeline::Step& receive) {
    shared_->tensors.of(receive).post();
    if (shared_->links != nullptr) tell_links(receive);
  }
  bool send_over_links(const pipeline::Action& action, std::coroutine_handle<> waiting);
  void post_adjacent(const pipeline::Action& send);
  void tell_links(const pipeline::Step& receive);
  base::Duration disturbed(const pipeline::Action& action, base::Duration duration) const;
  std::string text_of_missing(const pipeline::Step& computation) const;

  pipeline::Rank rank_;
  SharedStep* shared_;
  EventLoop* loop_;
  std::vector<SimulatedStage*>* ranks_;
  std::vector<pipeline::LastGradient>* gradients_;  // one a stage
  pipeline::StageId last_stage_;
  bool ideal_;
  const pipeline::Action* pending_ = nullptr;  ///< a computation that lacks an input
  std::coroutine_handle<> waiting_;
  base::Duration start_{};  ///< of the computation at hand
  pipeline::RankUse use_;
  std::optional<pipeline::Step> blocked_send_;
  std::vector<pipeline::Span> spans_;
};

}  // namespace frostline::sim
