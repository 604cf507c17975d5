#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>
#include <utility>

#include "app/real.h"
#include "app/run.h"
#include "app/setup.h"
#include "app/summary.h"
#include "app/table.h"
#include "app/verbs/verbs.h"
#include "base/error.h"
#include "models/data/baselines.h"

namespace frostline::app {
namespace {

using nlohmann::json;

json baselines_json(const Scenario& scenario) {
  const auto windows = models::LoadWindows::load(scenario.data);
  json list = json::array();
  for (const auto& baseline : models::baseline_scores(windows, pipeline::Split::kTest))
    list.push_back({{"name", baseline.name}, {"mape", baseline.mape}});
  return list;
}

std::string baselines_text(const json& summary) {
  std::vector<std::vector<std::string>> rows{{"on the test part", "MAPE"}};
  for (const auto& baseline : summary.at("baselines"))
    rows.push_back(
        {baseline.at("name"), fmt::format("{:.3f} %", baseline.at("mape").get<double>())});
  rows.push_back({"this run", fmt::format("{:.3f} %", summary.at("test_score").get<double>())});
  return format_table(rows);
}

Scenario resumed_scenario(const Arguments& arguments) {
  if (!arguments.scenario.empty() || !arguments.set.empty() || arguments.seed ||
      !arguments.out.empty()) {
    throw wrong_command_line(
        "--resume takes the scenario from the run; give no SCENARIO, --set, --seed or --out with "
        "it");
  }
  const auto folder = RunFolder::open(arguments.resume);
  if (!std::filesystem::exists(folder.checkpoint())) {
    throw base::Error(
        fmt::format("{}: has no checkpoint yet; start the run again", arguments.resume.string()));
  }
  return read_scenario(folder.scenario(), {}, {}, Use::kTrain);
}

RunFolder new_folder(const Arguments& arguments, const Scenario& scenario) {
  auto folder = RunFolder::create(
      arguments.out.empty() ? RunFolder::free_name("runs", scenario.general.name) : arguments.out);
  folder.write_scenario(scenario.to_toml());
  return folder;
}

void print_text(const json& summary, const RunFolder& folder) {
  fmt::print("{}\n{}\nfiles: {}\n", summary_text(summary), baselines_text(summary),
             folder.path().string());
}

int finish(const FinishedRun& run, const Scenario& scenario, const RunFolder& folder,
           RealTraining& training, bool as_json) {
  if (run.outcome.ending == policy::Ending::kInterrupted) {
    fmt::print(stderr, "interrupted after step {}; go on with `frostline train --resume {}`\n",
               run.outcome.budget.used_steps, folder.path().string());
    return 1;
  }
  auto summary = run.summary;
  summary["baselines"] = baselines_json(scenario);
  summary["folder"] = folder.path().string();
  training.export_weights(folder.weights());
  folder.write_summary(summary);
  if (as_json)
    fmt::print("{}\n", summary.dump(2));
  else
    print_text(summary, folder);
  return 0;
}

void add_options(CLI::App& command, Arguments& arguments) {
  add_scenario_options(command, arguments);
  add_json_option(command, arguments);
  command.add_option("--out", arguments.out, "The new folder of the run; runs/NAME by default")
      ->type_name("FOLDER");
  command.add_option("--resume", arguments.resume, "Go on with the run in this folder")
      ->type_name("RUN");
}

int run(const Arguments& arguments) {
  require_libtorch("train");
  const bool resume = !arguments.resume.empty();
  const auto scenario =
      resume ? resumed_scenario(arguments)
             : read_scenario(arguments.scenario, arguments.set, arguments.seed, Use::kTrain);
  const auto cost = scenario_cost(scenario);
  const auto training = make_real_training(scenario);
  // After everything that can be wrong was read: a start that fails leaves nothing behind.
  const auto folder = resume ? RunFolder::open(arguments.resume) : new_folder(arguments, scenario);
  const InterruptGuard interrupt;
  const auto finished = run_scenario(scenario, cost, training->world(), &folder, resume,
                                     {Progress::on_stderr(), interrupt});
  return finish(finished, scenario, folder, *training, arguments.json);
}

}  // namespace

const Verb kTrain{"train", "Trains for real on LibTorch, steered by the scenario's policy",
                  add_options, run};

}  // namespace frostline::app
