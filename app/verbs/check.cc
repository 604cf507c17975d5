#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include "app/setup.h"
#include "app/table.h"
#include "app/verbs/verbs.h"
#include "cost/plan_times.h"
#include "models/data/load_windows.h"
#include "pipeline/rewrite.h"
#include "policy/policies/registry.h"

namespace frostline::app {
namespace {

using nlohmann::json;

/// The largest frost line that freezing every unit outside the head can reach.
int highest_frost_line(const pipeline::UnitTable& units) {
  pipeline::FreezeMask mask(units.size());
  for (auto unit : base::ids<pipeline::UnitId>(units.size()))
    if (!units.in_head(unit)) mask.freeze(unit);
  return pipeline::frost_line(units, mask);
}

json describe_model(const Scenario& scenario) {
  return {{"kind", scenario.has_model() ? scenario.model.kind : "none (a layer is a stage)"},
          {"layers", scenario.layers()},
          {"parameters",
           scenario.has_model() ? json(scenario.description.parameters()) : json(nullptr)},
          {"units", scenario.units.size()},
          {"highest_frost_line", highest_frost_line(scenario.units)}};
}

json describe_run(const Scenario& scenario) {
  const auto cost = scenario_cost(scenario);
  const auto mask = policy::make_policy(scenario.freeze, scenario.units)->initial_mask();
  const auto plan = make_plan(scenario, cost, mask);
  pipeline::executable_schedule(plan, scenario.units);
  json step_time = nullptr;
  if (cost) step_time = base::to_ms(cost::predict_step(*cost, scenario.units, plan));
  return {
      {"name", scenario.general.name},
      {"model", describe_model(scenario)},
      {"schedule", scenario.pipeline.schedule.text},
      {"ranks", scenario.pipeline.ranks},
      {"micro_batches", scenario.pipeline.micro_batches},
      {"partition", plan.partition.text()},
      {"policy", scenario.freeze.policy},
      {"frozen_at_the_start", mask.count()},
      {"budget", scenario.train.budget == "time" ? fmt::format("{:g} s", scenario.train.time_s)
                                                 : fmt::format("{} steps", scenario.train.steps)},
      {"clock", scenario.train.clock},
      {"predicted_step_time_ms", step_time}};
}

std::string plain(const json& value) {
  if (value.is_null()) return "-";
  return value.is_string() ? value.get<std::string>() : value.dump();
}

void print_text(const json& run) {
  std::vector<std::vector<std::string>> rows;
  for (const auto& [key, value] : run.items()) {
    if (!value.is_object())
      rows.push_back({key, plain(value)});
    else
      for (const auto& [inner, part] : value.items())
        rows.push_back({fmt::format("{}.{}", key, inner), plain(part)});
  }
  fmt::print("{}", format_table(rows));
  if (run["model"]["highest_frost_line"] == 0)
    fmt::print("The frost line stays at 0: the first layer shares a tensor with the head.\n");
}

void add_options(CLI::App& command, Arguments& arguments) {
  add_scenario_options(command, arguments);
  add_json_option(command, arguments);
}

int run(const Arguments& arguments) {
  const auto scenario =
      read_scenario(arguments.scenario, arguments.set, arguments.seed, Use::kCheck);
  if (scenario.has_model() && !scenario.data.file.empty())
    models::LoadWindows::load(scenario.data);  // for what is wrong with the data
  const auto description = describe_run(scenario);
  if (arguments.json)
    fmt::print("{}\n", description.dump(2));
  else
    print_text(description);
  return 0;
}

}  // namespace

const Verb kCheck{"check", "Validates a scenario and says what it would run, without running it",
                  add_options, run};

}  // namespace frostline::app
