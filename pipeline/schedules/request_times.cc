#include "pipeline/schedules/request_times.h"

#include <algorithm>

namespace frostline::pipeline {
namespace {

base::Duration time_of(ActionKind kind, const StageFigures& stage) {
  switch (kind) {
    case ActionKind::kForward:
      return stage.forward;
    case ActionKind::kInputGradient:
      return stage.input_gradient;
    case ActionKind::kWeightGradient:
      return stage.weight_gradient;
    default:
      return stage.input_gradient + stage.weight_gradient;
  }
}

base::Bytes change_by(ActionKind kind, const StageFigures& stage) {
  switch (kind) {
    case ActionKind::kForward:
      return stage.activation;
    case ActionKind::kInputGradient:
      return stage.after_input_gradient - stage.activation;
    case ActionKind::kWeightGradient:
      return base::Bytes{} - stage.after_input_gradient;
    default:
      return base::Bytes{} - stage.activation;
  }
}

}  // namespace

base::Duration RequestTimes::computation(const Action& action) const {
  base::Duration sum{};
  for (const Step& step : action.steps()) {
    sum += time_of(step.kind, request_.stages.at(step.stage.index()));
  }
  return sum;
}

base::Bytes peak_held(const std::vector<Action>& actions, const StageFigures& stage) {
  base::Bytes held;
  base::Bytes peak;
  for (const Action& action : actions) {
    for (const Step& step : action.steps()) held += change_by(step.kind, stage);
    peak = std::max(peak, held);
  }
  return peak;
}

}  // namespace frostline::pipeline
