#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "app/run.h"
#include "app/scenario.h"
#include "cost/layer_cost.h"

namespace frostline::app {

/// What failures of devices make of a simulated run that takes its time without them: the figures
/// expected_time_s, goodput and best_checkpoint_interval_s (null if a checkpoint costs nothing), by
/// cost/long_run.h. A checkpoint follows every train.checkpoint_every steps of average length and
/// the end; it takes cost.checkpoint_ms to write and as long to load. Nothing if
/// cluster.failure_mtbf_h is 0 or no step ran. Throws base::Error if the run is expected to take
/// longer than the clock shows.
nlohmann::json failure_json(const Scenario& scenario, const cost::ModelCost& cost,
                            const FinishedRun& run);

/// A line for people; "" for a summary without these figures.
std::string failure_text(const nlohmann::json& summary);

}  // namespace frostline::app
