#include "app/step_detail.h"

#include "app/setup.h"

namespace frostline::app {

StepDetail::StepDetail(const Scenario& scenario, const cost::ModelCost& cost,
                       const pipeline::FreezeMask& mask)
    : StepDetail(scenario, cost, make_plan(scenario, cost, mask)) {}

StepDetail::StepDetail(const Scenario& scenario, const cost::ModelCost& cost,
                       const pipeline::Plan& plan)
    : rules(plan, scenario.units),
      times(cost, scenario.units, plan),
      schedule(pipeline::executable_schedule(plan, scenario.units)),
      step(sim::simulate_step(schedule, times)),
      frozen_share(pipeline::frozen_share(scenario.units, plan.freeze.whole_step())) {}

bool StepDetail::is_frozen(const pipeline::Step& computation) const {
  const auto need = rules.need(computation.stage, *computation.micro_batch);
  return need == pipeline::BackwardNeed::kNone || need == pipeline::BackwardNeed::kInputGradient;
}

}  // namespace frostline::app
