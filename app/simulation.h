#pragma once

#include <memory>
#include <string>

#include "app/run.h"
#include "app/run_folder.h"
#include "app/scenario.h"
#include "cost/layer_cost.h"
#include "sim/simulated_world.h"

namespace frostline::app {

/// "event", with all that the scenario's cluster says, or "path". Throws base::Error if the path
/// world cannot show what the scenario asks for.
std::unique_ptr<sim::SimulatedWorld> make_simulated_world(const Scenario& scenario,
                                                          const cost::ModelCost& cost,
                                                          const std::string& kind);

/// The scenario's whole run in virtual time. Its summary has the figures of the last plan's step
/// too: step_time_ms, pipeline_time_ms, bubble_rate, and for each rank rank_bubble_rate and what
/// StepMemory says; and the figures of app/failures.h. Throws base::Error if it is interrupted.
FinishedRun simulate_scenario(const Scenario& scenario, const cost::ModelCost& cost,
                              sim::SimulatedWorld& world, const RunFolder* folder,
                              const Supervision& supervision);

}  // namespace frostline::app
