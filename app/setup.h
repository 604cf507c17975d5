#pragma once

#include <optional>

#include "app/scenario.h"
#include "cost/layer_cost.h"
#include "pipeline/plan.h"
#include "policy/training_loop.h"

namespace frostline::app {

/// The scenario file of a command line with its overrides.
base::Document scenario_document(const std::filesystem::path& file,
                                 const std::vector<std::string>& overrides,
                                 std::optional<std::int64_t> seed);

/// The scenario that scenario_document holds.
Scenario read_scenario(const std::filesystem::path& file, const std::vector<std::string>& overrides,
                       std::optional<std::int64_t> seed, Use use);

/// What the layers cost, from [cost]; absent if the scenario gives no source. Throws base::Error if
/// a profile is missing or of another model.
std::optional<cost::ModelCost> scenario_cost(const Scenario& scenario);

/// The plan for a mask; another mask changes its `freeze` alone: schedule and partition as the
/// scenario says, balanced by `cost`, or by the layers' FLOPs without one.
pipeline::Plan make_plan(const Scenario& scenario, const std::optional<cost::ModelCost>& cost,
                         const pipeline::FreezeMask& mask);

/// [train] and [freeze] as the loop takes them. The predicted clock gets its times from `cost`.
policy::LoopSettings loop_settings(const Scenario& scenario,
                                   const std::optional<cost::ModelCost>& cost,
                                   const std::filesystem::path& checkpoint);

}  // namespace frostline::app
