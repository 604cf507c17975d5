#include "pipeline/fault_finder.h"

#include <fmt/format.h>

#include "pipeline/dependencies.h"

namespace frostline::pipeline {
namespace {

Step like(const Step& step, ActionKind kind) { return {kind, step.stage, step.micro_batch}; }

/// A stage may be gathered and released many times in a step; everything else happens once.
bool may_repeat(ActionKind kind) {
  return kind == ActionKind::kUnshard || kind == ActionKind::kReshard;
}

}  // namespace

FaultFinder::FaultFinder(const Schedule& schedule)
    : schedule_(schedule), places_(schedule), lowered_(has_transfers(schedule)) {}

std::vector<ScheduleFault> FaultFinder::find() {
  for (const Rank rank : base::ids<Rank>(schedule_.shape.ranks)) {
    StepPlace place{rank, 0};
    for (const Action& action : schedule_.actions[rank.index()]) {
      check_action(action, place);
      ++place.position;
    }
  }
  for (const StageId stage : base::ids<StageId>(schedule_.shape.stages())) check_forwards(stage);
  return std::move(faults_);
}

void FaultFinder::check_action(const Action& action, const StepPlace& place) {
  place_ = place;
  action_ = &action;
  for (const Step& step : action.steps()) check_step(step);
}

/// A step that should not be here at all is spared the other rules.
void FaultFinder::check_step(const Step& step) {
  if (!places_.in_range(step)) {
    note(ScheduleRule::kOutOfRange,
         fmt::format(
             "the schedule has stages 0 to {} and micro-batches 0 to {}, of which {}",
             schedule_.last_stage().value, schedule_.shape.micro_batches - 1,
             carries_micro_batch(step.kind) ? "the action names one" : "this kind names none"));
  } else if (schedule_.rank_of(step.stage) != place_.rank) {
    note(ScheduleRule::kWrongRank, fmt::format("stage {} is on rank {}", step.stage.value,
                                               schedule_.rank_of(step.stage).value));
  } else if (const auto first = places_.find(step); *first != place_ && !may_repeat(step.kind)) {
    note(ScheduleRule::kDuplicate, fmt::format("{} stands on rank {} as action {} already",
                                               to_text(step), first->rank.value, first->position));
  } else if (is_computation(step.kind)) {
    check_order(step);
    check_inputs(step);
  } else if (carries_micro_batch(step.kind)) {
    check_transfer(step);
    check_use(step);
  }
}

void FaultFinder::check_order(const Step& step) {
  if (step.kind == ActionKind::kForward) return;
  const Step forward = like(step, ActionKind::kForward);
  if (is_late(forward)) {
    note(ScheduleRule::kBackwardFirst,
         fmt::format("its forward {} must stand before it", to_text(forward)));
  }
  if (step.kind == ActionKind::kWeightGradient) check_weight_gradient(step);
  check_mixture(step);
}

void FaultFinder::check_weight_gradient(const Step& step) {
  const Step input_gradient = like(step, ActionKind::kInputGradient);
  const bool absent = !places_.has(input_gradient) && !has(step, ActionKind::kBackward);
  if (!absent && !is_late(input_gradient)) return;
  note(ScheduleRule::kBackwardFirst,
       fmt::format("its input gradient {} must stand before it", to_text(input_gradient)));
}

void FaultFinder::check_mixture(const Step& step) {
  if (step.kind == ActionKind::kBackward || !has(step, ActionKind::kBackward)) return;
  note(ScheduleRule::kMixedBackward,
       fmt::format("{} does the whole backward; use either it or I and W",
                   to_text(like(step, ActionKind::kBackward))));
}

void FaultFinder::check_inputs(const Step& step) {
  for (const Step& input : inputs_of(step, places_, schedule_.last_stage())) {
    if (input.stage != step.stage) check_input(step, input);
  }
}

void FaultFinder::check_input(const Step& step, const Step& input) {
  if (!places_.has(input)) {
    // A missing forward has a rule of its own.
    if (input.kind == ActionKind::kForward) return;
    note(ScheduleRule::kUnpairedTransfer,
         fmt::format("it needs the gradient of stage {}, which has no backward of micro-batch {}",
                     input.stage.value, input.micro_batch->value));
  } else if (lowered_ && schedule_.rank_of(input.stage) != schedule_.rank_of(step.stage)) {
    const Step receive = receive_of(send_of(input));
    if (places_.has(receive)) return;
    note(ScheduleRule::kUnpairedTransfer,
         fmt::format("it needs {}, which is in no list", to_text(receive)));
  }
}

void FaultFinder::check_transfer(const Step& transfer) {
  const bool sends = is_send(transfer.kind);
  const Step other = sends ? receive_of(transfer) : send_for(transfer);
  if (!places_.has(other)) {
    const bool end = !places_.in_range(other);
    note(ScheduleRule::kUnpairedTransfer,
         end ? fmt::format("there is no stage {} to {}", other.stage.value,
                           sends ? "send to" : "receive from")
             : fmt::format("its {} {} is in no list", sends ? "receive" : "send", to_text(other)));
  } else if (schedule_.rank_of(other.stage) == place_.rank) {
    note(ScheduleRule::kUnpairedTransfer,
         fmt::format("stages {} and {} are both on rank {}, which exchanges nothing with itself",
                     transfer.stage.value, other.stage.value, place_.rank.value));
  }
}

void FaultFinder::check_use(const Step& transfer) {
  const Step computation = computation_of(transfer);
  const bool sends = is_send(transfer.kind);
  if (!places_.has(computation)) {
    note(ScheduleRule::kTransferBeforeUse,
         fmt::format("{} {}, which is in no list", sends ? "it sends the result of" : "it is for",
                     to_text(computation)));
  } else if (sends && is_late(computation)) {
    note(ScheduleRule::kTransferBeforeUse,
         fmt::format("{}, whose result it sends, must stand before it", to_text(computation)));
  } else if (!sends && !is_late(computation)) {
    note(ScheduleRule::kTransferBeforeUse,
         fmt::format("{}, which needs it, must stand after it", to_text(computation)));
  }
}

void FaultFinder::check_forwards(StageId stage) {
  const Rank rank = schedule_.rank_of(stage);
  action_ = nullptr;
  place_ = {rank, static_cast<int>(schedule_.actions[rank.index()].size())};
  for (const MicroBatch micro_batch : base::ids<MicroBatch>(schedule_.shape.micro_batches)) {
    const Step forward{ActionKind::kForward, stage, micro_batch};
    if (places_.has(forward)) continue;
    note(ScheduleRule::kMissingForward, fmt::format("{} is in no list", to_text(forward)));
  }
}

bool FaultFinder::has(const Step& like_step, ActionKind kind) const {
  return places_.has(like(like_step, kind));
}

bool FaultFinder::is_late(const Step& step) const {
  const auto found = places_.find(step);
  return found && found->rank == place_.rank && found->position >= place_.position;
}

Step FaultFinder::computation_of(const Step& transfer) const {
  const bool forward =
      transfer.kind == ActionKind::kSendForward || transfer.kind == ActionKind::kReceiveForward;
  if (forward) return like(transfer, ActionKind::kForward);
  const bool split = has(transfer, ActionKind::kInputGradient);
  return like(transfer, split ? ActionKind::kInputGradient : ActionKind::kBackward);
}

void FaultFinder::note(ScheduleRule rule, const std::string& what) {
  const std::string action = action_ == nullptr ? "" : to_text(*action_);
  faults_.push_back({rule, place_.rank, place_.position, action, what});
}

}  // namespace frostline::pipeline
