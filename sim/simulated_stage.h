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
#include "pipeline/step_table.h"
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
  const pipeline::StepTable& table;
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
        last_stage_(shared.schedule.last_stage().index()),
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
    if (pipeline::is_send(action.kind())) {
      if (shared_->links != nullptr) return send_over_links(action, waiting);
      send(action);
    } else if (pipeline::is_receive(action.kind())) {
      post(action);
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
  using ActionKind = pipeline::ActionKind;
  using Row = pipeline::StepTable::Row;

  bool has_inputs(const pipeline::Action& computation) {
    start_ = loop_->now();
    if (!computation.is_overlap()) {
      return has_inputs(computation.kind(), computation.stage_index(),
                        computation.micro_batch_index());
    }
    for (const pipeline::Step& step : computation.steps()) {
      if (!has_inputs(step.kind, step.stage.index(), step.micro_batch->index())) return false;
    }
    return true;
  }
  /// Moves the start to the arrival of the input.
  bool has_inputs(ActionKind kind, std::size_t stage, std::size_t micro_batch) {
    Tensors& tensors = shared_->tensors;
    const std::size_t place = tensors.place(stage, micro_batch);
    if (kind == ActionKind::kForward) {
      return stage == 0 || takes(tensors.output(place - tensors.step_of_stage()));
    }
    if (kind == ActionKind::kWeightGradient) return tensors.gradient(place).computed();
    if (!tensors.output(place).computed()) return false;
    return stage == last_stage_ || takes(tensors.gradient(place + tensors.step_of_stage()));
  }
  bool takes(const Tensor& input) {
    if (!input.available()) return false;
    start_ = std::max(start_, input.arrival());
    return true;
  }

  void compute(const pipeline::Action& action) {
    pending_ = nullptr;
    base::Duration end;
    if (action.is_overlap()) {
      end = start_ + disturbed(action, shared_->times.computation(action));
      for (const pipeline::Step& step : action.steps()) {
        finish(step.kind, step.stage.index(), step.micro_batch->index(), end);
      }
    } else {
      const std::size_t stage = action.stage_index();
      const std::size_t batch = action.micro_batch_index();
      const Row& row = shared_->table.row(stage, batch);
      const base::Duration duration(row.duration[static_cast<std::size_t>(action.kind())]);
      end = start_ + (ideal_ ? duration : disturbed(action, duration));
      finish(action.kind(), stage, batch, end);
    }
    use_.add(start_, end);
    if (shared_->records_spans) spans_.push_back({rank_, action, start_, end});
    loop_->resume_at(end, waiting_);
  }
  void finish(ActionKind kind, std::size_t stage, std::size_t micro_batch, base::Duration end) {
    const bool forward = kind == ActionKind::kForward;
    if (kind == ActionKind::kBackward || kind == ActionKind::kWeightGradient) {
      (*gradients_)[stage] = {start_, end};
      if (kind == ActionKind::kWeightGradient) return;
    }
    const Row& row = shared_->table.row(stage, micro_batch);
    const std::size_t place = shared_->tensors.place(stage, micro_batch);
    Tensor& made = forward ? shared_->tensors.output(place) : shared_->tensors.gradient(place);
    if ((forward ? row.output : row.gradient).rank < 0) {
      made.keep(end);
    } else {
      made.compute();
    }
  }

  /// Begins a transfer now; the rank that receives it learns when it will arrive.
  void send(const pipeline::Action& send) {
    const bool forward = send.kind() == ActionKind::kSendForward;
    const std::size_t stage = send.stage_index();
    const std::size_t batch = send.micro_batch_index();
    const Row& row = shared_->table.row(stage, batch);
    const auto& way = forward ? row.output : row.gradient;
    const std::size_t place = shared_->tensors.place(stage, batch);
    Tensor& tensor = forward ? shared_->tensors.output(place) : shared_->tensors.gradient(place);
    tensor.send(loop_->now() + base::Duration(way.delay));
    (*ranks_)[static_cast<std::size_t>(way.rank)]->wake();
  }
  void post(const pipeline::Action& receive) {
    Tensors& tensors = shared_->tensors;
    const std::size_t place = tensors.place(receive.stage_index(), receive.micro_batch_index());
    if (receive.kind() == ActionKind::kReceiveForward) {
      tensors.output(place - tensors.step_of_stage()).post();
    } else {
      tensors.gradient(place + tensors.step_of_stage()).post();
    }
    if (shared_->links != nullptr) tell_links(receive.first());
  }
  pipeline::Rank rank_of(pipeline::StageId stage) const {
    return shared_->schedule.rank_of_stage[stage.index()];
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
  std::size_t last_stage_;
  bool ideal_;
  const pipeline::Action* pending_ = nullptr;  ///< a computation that lacks an input
  std::coroutine_handle<> waiting_;
  base::Duration start_{};  ///< of the computation at hand
  pipeline::RankUse use_;
  std::optional<pipeline::Step> blocked_send_;
  std::vector<pipeline::Span> spans_;
};

}  // namespace frostline::sim
