#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <vector>

#include "app/run_folder.h"
#include "app/run_observer.h"
#include "app/scenario.h"
#include "cost/layer_cost.h"
#include "pipeline/world.h"
#include "policy/training_loop.h"

namespace frostline::app {

struct FinishedRun {
  policy::Outcome outcome;
  nlohmann::json summary;
  std::vector<PlanStart> plans;      ///< that steps were run with, in their order
  base::Duration checkpoint_time{};  ///< what checkpoints took of the outcome's used time
};

/// Steers a world by the scenario's policy to the end of the budget, in the run's folder if there
/// is one (where `resume` goes on from its checkpoint). A test score is taken at the end, outside
/// the budget.
FinishedRun run_scenario(const Scenario& scenario, const std::optional<cost::ModelCost>& cost,
                         pipeline::World& world, const RunFolder* folder, bool resume,
                         const Supervision& supervision);

}  // namespace frostline::app
