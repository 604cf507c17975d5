#pragma once

#include <optional>
#include <string>

#include "app/scenario.h"
#include "cost/layer_cost.h"

namespace frostline::app {

/// Whether every rank's device can hold what the run's first step needs there; what freezes later
/// adds nothing. Without cluster.devices nothing is known of their memory.
///
/// If not: which rank lacks most, when, how much, and which of recomputation, the other registered
/// schedules of the same shape, and more ranks would fit. With cluster.memory_check = "report" that
/// is returned, otherwise it is thrown as base::InvalidInput.
std::optional<std::string> check_memory(const Scenario& scenario, const cost::ModelCost& cost);

}  // namespace frostline::app
