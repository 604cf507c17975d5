#include "app/scenario.h"

#include <fmt/core.h>

#include <utility>

#include "cost/analytic.h"
#include "models/describe.h"
#include "policy/policies/registry.h"

namespace frostline::app {
namespace {

/// A run's name is its folder's.
base::Allowed<std::string> folder_names() {
  return {"a name for a folder, without '/'",
          [](const std::string& name) {
            return !name.empty() && name.front() != '.' && name.find('/') == std::string::npos;
          },
          {}};
}

void check_clock(base::Document& document, const Scenario& scenario) {
  if (scenario.train.clock == "predicted" && scenario.cost.source.empty())
    document.problem(
        "train.clock",
        "train.clock = \"predicted\" needs the times of [cost]; give cost.source = \"table\", "
        "\"profile\" or \"analytic\", or use \"wall\"");
}

void check_simulation(base::Document& document, const Scenario& scenario) {
  if (scenario.cost.source.empty())
    document.problem("cost.source",
                     "cost.source is missing and simulate needs to know what actions cost; use "
                     "\"table\", \"profile\" with a file that `frostline profile` wrote, or "
                     "\"analytic\" with [model] and cluster.devices");
}

void check_policy_in_simulation(base::Document& document, const Scenario& scenario) {
  if (policy::make_policy(scenario.freeze, scenario.units)->reads_gradients())
    document.problem(
        "freeze.policy",
        fmt::format("freeze.policy = \"{}\" reads gradients, and the simulator has no model "
                    "of learning; use none, last_k, mask or file",
                    scenario.freeze.policy));
}

/// Only of a model is it known how much the optimizer holds, and the executor keeps it.
void check_optimizer_state(base::Document& document, const Scenario& scenario, Use use) {
  if (scenario.freeze.keeps_optimizer_state()) return;
  if (!scenario.has_model())
    document.problem("freeze.optimizer_state",
                     "freeze.optimizer_state = \"release\" has no effect without a model; set "
                     "model.kind, or use \"keep\"");
  else if (use == Use::kTrain)
    document.problem("freeze.optimizer_state",
                     "freeze.optimizer_state = \"release\" can be simulated but not trained yet; "
                     "use \"keep\"");
}

/// A model that is unsound has been reported, and has no layers.
void check_analytic(base::Document& document, const Scenario& scenario) {
  if (scenario.cost.source != "analytic") return;
  if (scenario.has_model() && scenario.description.layers.empty()) return;
  cost::check_analytic(document, scenario.description, scenario.cluster, scenario.train.batch);
}

void check_recompute(base::Document& document, const Scenario& scenario) {
  if (scenario.pipeline.recomputes() && !scenario.cost.source.empty())
    document.problem("pipeline.recompute",
                     "pipeline.recompute = \"full\" can be simulated but not trained yet; use "
                     "\"none\"");
}

void check_training(base::Document& document, const Scenario& scenario) {
  if (!scenario.has_model())
    document.problem("model.kind",
                     "model.kind is missing and there is nothing to train; use \"forecaster\"");
  else if (scenario.model.kind != "forecaster")
    document.problem("model.kind",
                     fmt::format("model.kind = \"{}\" can be simulated but not trained yet; use "
                                 "\"forecaster\"",
                                 scenario.model.kind));
  else if (scenario.data.file.empty())
    document.problem("data.file", "data.file is missing; give the CSV file to learn from");
}

/// Layers and units, from the model or, without one, a layer a stage.
void describe(Scenario& scenario, bool model_is_sound) {
  if (!scenario.has_model() || !model_is_sound) {
    // Too many are refused; until then they shall not fill the memory.
    const int stages = scenario.pipeline.shape().stages();
    scenario.units = pipeline::UnitTable::of_layers(stages > pipeline::kMostStages ? 1 : stages);
    return;
  }
  scenario.description = models::describe_model(scenario.model, scenario.data);
  scenario.units = models::unit_table(scenario.description, scenario.freeze.unit_kind());
}

Scenario read_sections(base::Document& document) {
  Scenario scenario;
  scenario.general = general_section().read(document);
  scenario.pipeline = pipeline::pipeline_section().read(document);
  scenario.cost = cost::cost_section().read(document);
  scenario.cluster = cost::cluster_section().read(document);
  scenario.freeze = policy::freeze_section().read(document);
  scenario.model = models::model_section().read(document);
  scenario.data = models::data_section().read(document);
  scenario.train = policy::train_section().read(document);
  return scenario;
}

base::Words known_keys() {
  base::Words known;
  for (const auto* section : scenario_sections())
    for (const auto& key : section->keys) known.push_back(section->full_name(key.name));
  return known;
}

void check(base::Document& document, Scenario& scenario, Use use) {
  if (scenario.has_model()) models::check_model(document, scenario.model, scenario.data);
  describe(scenario, document.valid());
  pipeline::check_pipeline(document, scenario.pipeline, scenario.layers());
  cost::check_cost(document, scenario.cost, scenario.pipeline);
  cost::check_number_sizes(document, scenario.cost, scenario.has_model());
  cost::check_cluster(document, scenario.cluster, scenario.pipeline);
  check_analytic(document, scenario);
  policy::check_freeze(document, scenario.freeze, scenario.units);
  check_optimizer_state(document, scenario, use);
  if (use == Use::kTrain) check_recompute(document, scenario);
  policy::check_train(document, scenario.train, scenario.pipeline.micro_batches,
                      scenario.freeze.judging_step);
  check_clock(document, scenario);
  if (use == Use::kSimulate) check_simulation(document, scenario);
  if (use == Use::kSimulate && document.valid()) check_policy_in_simulation(document, scenario);
  if (use == Use::kTrain || use == Use::kProfile) check_training(document, scenario);
}

}  // namespace

const base::Section<GeneralSettings>& general_section() {
  static const auto kSection =
      base::Section<GeneralSettings>("", "Keys at the top of the file.")
          .key("name", &GeneralSettings::name, folder_names(),
               "What the run is called, in its summary and its folder.")
          .key("seed", &GeneralSettings::seed, base::at_least<std::int64_t>(0),
               "Seed of every random number: weights, shuffling, dropout.");
  return kSection;
}

std::vector<const base::SectionInfo*> scenario_sections() {
  return {&general_section().info(),        &pipeline::pipeline_section().info(),
          &cost::cost_section().info(),     &cost::cluster_section().info(),
          &policy::freeze_section().info(), &models::model_section().info(),
          &models::data_section().info(),   &policy::train_section().info()};
}

std::string Scenario::to_toml() const {
  return general_section().to_toml(general) + pipeline::pipeline_section().to_toml(pipeline) +
         cost::cost_section().to_toml(cost) + cost::cluster_section().to_toml(cluster) +
         policy::freeze_section().to_toml(freeze) + models::model_section().to_toml(model) +
         models::data_section().to_toml(data) + policy::train_section().to_toml(train);
}

void check_keys(base::Document& document) {
  document.reject_unknown(known_keys());
  read_sections(document);
  document.throw_if_invalid();
}

Scenario read_scenario(base::Document document, Use use) {
  document.reject_unknown(known_keys());
  Scenario scenario = read_sections(document);
  check(document, scenario, use);
  document.throw_if_invalid();
  return scenario;
}

}  // namespace frostline::app
