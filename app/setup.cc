#include "app/setup.h"

#include <fmt/core.h>

#include "app/verb.h"
#include "cost/balance.h"
#include "cost/flops.h"
#include "cost/plan_times.h"
#include "cost/profile.h"
#include "pipeline/schedules/registry.h"

namespace frostline::app {

Scenario read_scenario(const std::filesystem::path& file, const std::vector<std::string>& overrides,
                       std::optional<std::uint64_t> seed, Use use) {
  if (file.empty())
    throw wrong_command_line("the scenario file is missing; give its path after the verb");
  auto document = base::Document::from_file(file);
  for (const auto& override : overrides) document.set(override);
  if (seed) document.set(fmt::format("seed={}", *seed));
  return read_scenario(std::move(document), use);
}

std::optional<cost::ModelCost> scenario_cost(const Scenario& scenario) {
  if (scenario.cost.source.empty()) return std::nullopt;
  if (scenario.cost.source == "table")
    return cost::table_cost(scenario.cost, scenario.pipeline.shape(), scenario.layers());
  return cost::profile_cost(cost::read_profile(scenario.cost.file), scenario.units.layer_names,
                            scenario.cost.file);
}

namespace {

pipeline::Partition make_partition(const Scenario& scenario,
                                   const std::optional<cost::ModelCost>& cost) {
  if (const auto* layers = std::get_if<base::Integers>(&scenario.pipeline.partition))
    return pipeline::Partition(std::vector<int>(layers->begin(), layers->end()));
  const auto weights = cost ? *cost : cost::flops_as_cost(scenario.description);
  return cost::balanced_partition(weights, scenario.units,
                                  pipeline::FreezeMask(scenario.units.size()),
                                  scenario.pipeline.shape().stages());
}

}  // namespace

pipeline::Plan make_plan(const Scenario& scenario, const std::optional<cost::ModelCost>& cost,
                         const pipeline::FreezeMask& mask) {
  return {
      .schedule = pipeline::make_schedule(scenario.pipeline.schedule, scenario.pipeline.shape()),
      .partition = make_partition(scenario, cost),
      .freeze = pipeline::FreezePlan(mask),
      .cut = scenario.freeze.cut_kind()};
}

policy::LoopSettings loop_settings(const Scenario& scenario,
                                   const std::optional<cost::ModelCost>& cost,
                                   const std::filesystem::path& checkpoint) {
  policy::LoopSettings settings;
  settings.budget = scenario.train.make_budget();
  settings.learning_rate = scenario.train.make_rule();
  settings.judging_step = scenario.freeze.judging_step;
  settings.validate_every = scenario.train.validate_every;
  settings.validate_share = scenario.train.validate_share;
  settings.checkpoint_every = scenario.train.checkpoint_every;
  settings.checkpoint = checkpoint;
  if (scenario.train.clock == "predicted") {
    settings.predicted_step = [cost = cost.value(), &scenario](const pipeline::Plan& plan) {
      return cost::predict_step(cost, scenario.units, plan);
    };
    settings.predicted_validation = base::from_ms(cost->validation_ns / 1e6);
  }
  return settings;
}

}  // namespace frostline::app
