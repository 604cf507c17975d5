#include "exec/plan_check.h"

#include <fmt/format.h>

#include "base/error.h"
#include "pipeline/rewrite.h"

namespace frostline::exec {
namespace {

using pipeline::ActionKind;
using pipeline::BackwardNeed;
using pipeline::Step;

void check_units(const pipeline::UnitTable& units) {
  for (const pipeline::Unit& unit : units.units) {
    if (unit.layers.size() == 1) continue;
    throw base::Error(
        fmt::format("unit '{}' is tied over {} layers; training tied tensors is not supported yet, "
                    "use a model without them",
                    unit.name, unit.layers.size()));
  }
}

/// An I is a whole backward only where every unit of the stage is frozen.
bool is_split(const Step& step, const pipeline::FreezeRules& rules) {
  if (step.kind == ActionKind::kWeightGradient) return true;
  return step.kind == ActionKind::kInputGradient &&
         rules.need(step.stage, *step.micro_batch) != BackwardNeed::kInputGradient;
}

void check_step(const Step& step, const pipeline::FreezeRules& rules, const std::string& schedule) {
  if (!pipeline::carries_micro_batch(step.kind)) {
    throw base::Error(fmt::format(
        "schedule '{}' has {}; replicas are not supported yet, use pipeline.replicas = 1", schedule,
        pipeline::to_text(step)));
  }
  if (is_split(step, rules)) {
    throw base::Error(
        fmt::format("schedule '{}' has {}; split backward is not supported yet; use gpipe or 1f1b",
                    schedule, pipeline::to_text(step)));
  }
}

}  // namespace

void check_plan(const pipeline::Plan& plan, const pipeline::Schedule& executable,
                const pipeline::UnitTable& units, int ranks) {
  check_units(units);
  if (plan.schedule->shape.ranks != ranks) {
    throw base::Error(fmt::format("the plan is for {} ranks, but {} run; use pipeline.ranks = {}",
                                  plan.schedule->shape.ranks, ranks, ranks));
  }
  if (plan.cut != pipeline::Cut::kPrefix) {
    throw base::Error("freeze.cut models other systems and can only be simulated; use \"prefix\"");
  }
  const pipeline::FreezeRules rules(plan, units);
  for (const auto& actions : executable.actions) {
    for (const pipeline::Action& action : actions) {
      for (const Step& step : action.steps()) check_step(step, rules, plan.schedule->name);
    }
  }
}

void check_same_placement(const pipeline::Plan& before, const pipeline::Plan& after) {
  if (before.partition == after.partition &&
      before.schedule->rank_of_stage == after.schedule->rank_of_stage) {
    return;
  }
  throw base::Error(
      fmt::format("the plan moves layers from {} to {}; moving layers between ranks "
                  "is not supported yet, keep the partition",
                  before.partition.text(), after.partition.text()));
}

}  // namespace frostline::exec
