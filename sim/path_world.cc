#include "sim/path_world.h"

#include <utility>

#include "pipeline/rewrite.h"
#include "pipeline/step_path.h"

namespace frostline::sim {

PathWorld::PathWorld(cost::ModelCost cost, pipeline::UnitTable units)
    : SimulatedWorld(std::move(cost), std::move(units)) {}

SimulatedStep PathWorld::simulate(const pipeline::Plan& plan, base::Duration, std::int64_t) {
  const cost::PlanTimes times(cost(), units(), plan);
  return with_peaks(pipeline::StepPath(plan, units(), times).evaluate(),
                    pipeline::rewrite(plan, units()), times);
}

}  // namespace frostline::sim
