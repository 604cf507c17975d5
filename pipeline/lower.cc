#include "pipeline/lower.h"

#include "pipeline/dependencies.h"

namespace frostline::pipeline {
namespace {

/// Puts transfers around the computations of one schedule.
class Lowering {
 public:
  explicit Lowering(const Schedule& schedule) : schedule_(schedule), places_(schedule) {}

  std::vector<Action> lowered(const std::vector<Action>& actions) const {
    std::vector<Action> all;
    for (const Action& action : actions) {
      for (const Step& step : action.steps()) add_receives(step, all);
      all.push_back(action);
      for (const Step& step : action.steps()) add_send(step, all);
    }
    return all;
  }

 private:
  bool on_other_ranks(const Step& a, const Step& b) const {
    return schedule_.rank_of(a.stage) != schedule_.rank_of(b.stage);
  }

  void add_receives(const Step& step, std::vector<Action>& all) const {
    for (const Step& input : inputs_of(step, places_, schedule_.last_stage())) {
      if (on_other_ranks(step, input)) all.emplace_back(receive_of(send_of(input)));
    }
  }

  void add_send(const Step& step, std::vector<Action>& all) const {
    if (!is_computation(step.kind) || step.kind == ActionKind::kWeightGradient) return;
    const Step send = send_of(step);
    if (is_needed(send) && on_other_ranks(send, receive_of(send))) all.emplace_back(send);
  }

  bool is_needed(const Step& send) const {
    if (send.kind == ActionKind::kSendForward) return send.stage != schedule_.last_stage();
    return send.stage.value > 0 && has_backward(receive_of(send));
  }

  bool has_backward(const Step& of) const {
    return places_.has(ActionKind::kBackward, of.stage, *of.micro_batch) ||
           places_.has(ActionKind::kInputGradient, of.stage, *of.micro_batch);
  }

  const Schedule& schedule_;
  StepPlaces places_;
};

}  // namespace

Schedule lower(const Schedule& schedule) {
  if (has_transfers(schedule)) return schedule;
  const Lowering lowering(schedule);
  Schedule lowered = schedule;
  for (auto& actions : lowered.actions) actions = lowering.lowered(actions);
  return lowered;
}

}  // namespace frostline::pipeline
