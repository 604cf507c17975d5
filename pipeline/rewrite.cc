#include "pipeline/rewrite.h"

#include "pipeline/lower.h"
#include "pipeline/validate.h"

namespace frostline::pipeline {
namespace {

/// Leaves out of one plan's schedule what freezing saves.
class Rewriting {
 public:
  Rewriting(const Plan& plan, const UnitTable& units)
      : rules_(plan, units), micro_batches_(plan.schedule->shape.micro_batches) {}

  std::vector<Action> rewritten(const std::vector<Action>& actions) const {
    std::vector<Action> left;
    for (const Action& action : actions) add_rest(action, left);
    return left;
  }

 private:
  void add_rest(const Action& action, std::vector<Action>& left) const {
    const auto first = rest(action.first());
    const auto second = action.is_overlap() ? rest(action.steps()[1]) : std::nullopt;
    if (first && second) {
      left.push_back(Action::overlap(*first, *second));
    } else if (first || second) {
      left.emplace_back(first ? *first : *second);
    }
  }

  std::optional<Step> rest(const Step& step) const {
    if (is_computation(step.kind)) {
      return rest_of_computation(step, rules_.need(step.stage, *step.micro_batch));
    }
    if (carries_micro_batch(step.kind)) return is_used(step) ? std::optional(step) : std::nullopt;
    const bool idle = step.kind == ActionKind::kReduceGradient && !trains(step.stage);
    return idle ? std::nullopt : std::optional(step);
  }

  /// Both ends of a gradient's way ask the same rule; every forward stays.
  bool is_used(const Step& transfer) const {
    if (transfer.kind == ActionKind::kSendBackward)
      return rules_.sends_gradient(transfer.stage, *transfer.micro_batch);
    if (transfer.kind == ActionKind::kReceiveBackward)
      return rules_.sends_gradient(transfer.stage.next(), *transfer.micro_batch);
    return true;
  }

  /// In any micro-batch.
  bool trains(StageId stage) const {
    for (const MicroBatch micro_batch : base::ids<MicroBatch>(micro_batches_)) {
      const BackwardNeed need = rules_.need(stage, micro_batch);
      if (need == BackwardNeed::kFull || need == BackwardNeed::kToFrostLine) return true;
    }
    return false;
  }

  FreezeRules rules_;
  int micro_batches_;
};

}  // namespace

Schedule rewrite(const Plan& plan, const UnitTable& units) {
  const Rewriting rewriting(plan, units);
  Schedule rewritten = plan.schedule;
  for (auto& actions : rewritten.actions) actions = rewriting.rewritten(actions);
  return rewritten;
}

Schedule executable_schedule(const Plan& plan, const UnitTable& units) {
  Schedule schedule = lower(rewrite(plan, units));
  validate_executable(schedule);
  return schedule;
}

}  // namespace frostline::pipeline
