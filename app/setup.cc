#include "app/setup.h"

#include <fmt/core.h>

#include "app/verb.h"
#include "cost/analytic.h"
#include "cost/balance.h"
#include "cost/flops.h"
#include "cost/plan_times.h"
#include "cost/profile.h"
#include "cost/schedule_request.h"
#include "cost/step_fits.h"
#include "cost/topology.h"

namespace frostline::app {

base::Document scenario_document(const std::filesystem::path& file,
                                 const std::vector<std::string>& overrides,
                                 std::optional<std::int64_t> seed) {
  if (file.empty())
    throw wrong_command_line("the scenario file is missing; give its path after the verb");
  auto document = base::Document::from_file(file);
  for (const auto& override : overrides) document.set(override);
  if (seed) document.set(fmt::format("seed={}", *seed));
  return document;
}

Scenario read_scenario(const std::filesystem::path& file, const std::vector<std::string>& overrides,
                       std::optional<std::int64_t> seed, Use use) {
  return read_scenario(scenario_document(file, overrides, seed), use);
}

namespace {

/// What a layer holds for a micro-batch tells sizes of another model or batch apart.
void check_sizes(const cost::Profile& profile, const Scenario& scenario) {
  const auto samples = scenario.train.batch / scenario.pipeline.micro_batches;
  if (profile.micro_batch_size != samples) {
    throw base::Error(fmt::format(
        "{}: was measured with {} samples a micro-batch and the scenario has {} (train.batch over "
        "pipeline.micro_batches); measure again with `frostline profile`",
        scenario.cost.file.string(), profile.micro_batch_size, samples));
  }
  for (std::size_t i = 0; i < scenario.description.layers.size(); ++i) {
    const auto& layer = scenario.description.layers[i];
    if (profile.cost.layers.at(i).activation == layer.activation * samples) continue;
    throw base::Error(fmt::format(
        "{}: was measured on a model of other sizes: what layer {} holds differs; measure again "
        "with `frostline profile`",
        scenario.cost.file.string(), layer.name));
  }
}

cost::ModelCost measured_cost(const Scenario& scenario) {
  const auto profile = cost::read_profile(scenario.cost.file);
  auto cost = cost::profile_cost(profile, scenario.units.layer_names, scenario.cost.file);
  if (scenario.has_model()) {
    check_sizes(profile, scenario);
    for (std::size_t i = 0; i < cost.layers.size(); ++i)
      cost.layers[i].output = scenario.description.layers[i].output * profile.micro_batch_size;
  }
  return cost;
}

cost::ModelCost derived_cost(const Scenario& scenario) {
  auto cost = cost::analytic_cost(scenario.description, scenario.cluster, scenario.pipeline,
                                  scenario.train.batch / scenario.pipeline.micro_batches);
  cost.partial_freeze_overhead = scenario.cost.partial_freeze_overhead;
  cost.send_ns = scenario.cost.send_ms * 1e6;
  return cost;
}

cost::ModelCost cost_of_source(const Scenario& scenario) {
  if (scenario.cost.source == "table")
    return cost::table_cost(scenario.cost, scenario.pipeline.shape(), scenario.layers(),
                            pipeline::placement(scenario.pipeline));
  if (scenario.cost.source == "analytic") return derived_cost(scenario);
  return measured_cost(scenario);
}

}  // namespace

std::optional<cost::ModelCost> scenario_cost(const Scenario& scenario) {
  if (scenario.cost.source.empty()) return std::nullopt;
  auto cost = cost_of_source(scenario);
  cost::add_times_beside_steps(scenario.cost, cost);
  const auto devices = scenario.pipeline.ranks * scenario.pipeline.replicas;
  if (scenario.cluster.given())
    cost.topology = std::make_shared<const cost::Topology>(
        cost::make_topology(scenario.cluster, static_cast<int>(devices)));
  cost.recompute = scenario.pipeline.recomputes();
  cost::check_step_fits(cost, scenario.pipeline.shape());
  return cost;
}

namespace {

pipeline::Partition make_partition(const Scenario& scenario,
                                   const std::optional<cost::ModelCost>& cost) {
  if (const auto* layers = std::get_if<base::Integers>(&scenario.pipeline.partition))
    return pipeline::Partition(std::vector<int>(layers->begin(), layers->end()));
  const int stages = scenario.pipeline.shape().stages();
  if (!cost && !scenario.has_model()) return pipeline::Partition::even(scenario.layers(), stages);
  const auto weights = cost ? *cost : cost::flops_as_cost(scenario.description);
  return cost::balanced_partition(weights, scenario.units,
                                  pipeline::FreezeMask(scenario.units.size()), stages);
}

}  // namespace

pipeline::Plan make_plan(const Scenario& scenario, const std::optional<cost::ModelCost>& cost,
                         const pipeline::FreezeMask& mask) {
  auto partition = make_partition(scenario, cost);
  const auto request =
      cost ? cost::schedule_request(*cost, scenario.units, partition, scenario.pipeline)
           : scenario.pipeline.request();
  return {.schedule = pipeline::make_schedule(scenario.pipeline, request),
          .partition = std::move(partition),
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
