#include "app/step_detail.h"

#include "app/setup.h"
#include "sim/event_world.h"

namespace frostline::app {
namespace {

sim::StepConditions conditions(const Scenario& scenario, const cost::ModelCost& cost) {
  sim::StepConditions conditions;
  conditions.topology = cost.topology.get();
  conditions.rules = sim::Surroundings::of(scenario.cluster, scenario.seed()).rules;
  conditions.records_spans = true;
  return conditions;
}

}  // namespace

StepDetail::StepDetail(const Scenario& scenario, const cost::ModelCost& cost,
                       const pipeline::FreezeMask& mask)
    : StepDetail(scenario, cost, make_plan(scenario, cost, mask)) {}

StepDetail::StepDetail(const Scenario& scenario, const cost::ModelCost& cost,
                       const pipeline::Plan& plan)
    : rules(plan, scenario.units),
      times(cost, scenario.units, plan),
      schedule(pipeline::executable_schedule(plan, scenario.units)),
      step(sim::simulate_step(schedule, times, conditions(scenario, cost))),
      frozen_share(pipeline::frozen_share(scenario.units, plan.freeze.whole_step())) {}

bool StepDetail::is_frozen(const pipeline::Step& computation) const {
  const auto need = rules.need(computation.stage, *computation.micro_batch);
  return need == pipeline::BackwardNeed::kNone || need == pipeline::BackwardNeed::kInputGradient;
}

}  // namespace frostline::app
