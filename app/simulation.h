#pragma once

#include "app/run.h"
#include "app/run_folder.h"
#include "app/scenario.h"
#include "cost/layer_cost.h"
#include "sim/event_world.h"

namespace frostline::app {

/// The scenario's whole run in virtual time. Its summary has the figures of the last plan's step
/// too: step_time_ms, pipeline_time_ms, bubble_rate, and for each rank rank_bubble_rate and what
/// StepMemory says. Throws base::Error if it is interrupted.
FinishedRun simulate_scenario(const Scenario& scenario, const cost::ModelCost& cost,
                              sim::EventWorld& world, const RunFolder* folder,
                              const Supervision& supervision);

}  // namespace frostline::app
