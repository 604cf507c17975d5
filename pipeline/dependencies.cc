#include "pipeline/dependencies.h"

#include <cassert>

namespace frostline::pipeline {
namespace {

Step at(const Step& step, ActionKind kind, StageId stage) {
  return {kind, stage, step.micro_batch};
}

Step gradient_source(const Step& backward, const StepPlaces& places) {
  const StageId next = backward.stage.next();
  const Step input_gradient = at(backward, ActionKind::kInputGradient, next);
  return places.has(input_gradient) ? input_gradient : at(backward, ActionKind::kBackward, next);
}

Steps backward_inputs(const Step& backward, const StepPlaces& places, StageId last_stage) {
  Steps inputs{at(backward, ActionKind::kForward, backward.stage)};
  if (backward.stage != last_stage) inputs.push_back(gradient_source(backward, places));
  return inputs;
}

}  // namespace

Steps inputs_of(const Step& computation, const StepPlaces& places, StageId last_stage) {
  const StageId stage = computation.stage;
  switch (computation.kind) {
    case ActionKind::kForward:
      if (stage.value == 0) return {};
      return {at(computation, ActionKind::kForward, stage.previous())};
    case ActionKind::kWeightGradient:
      return {at(computation, ActionKind::kInputGradient, stage)};
    case ActionKind::kBackward:
    case ActionKind::kInputGradient:
      return backward_inputs(computation, places, last_stage);
    default:
      return {};
  }
}

Step send_of(const Step& computation) {
  assert(is_computation(computation.kind) && computation.kind != ActionKind::kWeightGradient);
  const bool forward = computation.kind == ActionKind::kForward;
  return at(computation, forward ? ActionKind::kSendForward : ActionKind::kSendBackward,
            computation.stage);
}

Step receive_of(const Step& send) {
  assert(is_send(send.kind));
  if (send.kind == ActionKind::kSendForward) {
    return at(send, ActionKind::kReceiveForward, send.stage.next());
  }
  return at(send, ActionKind::kReceiveBackward, send.stage.previous());
}

Step send_for(const Step& receive) {
  assert(is_receive(receive.kind));
  if (receive.kind == ActionKind::kReceiveForward) {
    return at(receive, ActionKind::kSendForward, receive.stage.previous());
  }
  return at(receive, ActionKind::kSendBackward, receive.stage.next());
}

}  // namespace frostline::pipeline
