#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>
#include <thread>

#include "app/run_folder.h"
#include "app/summary.h"
#include "app/sweep_text.h"
#include "app/verbs/verbs.h"
#include "base/error.h"

namespace frostline::app {
namespace {

void add_options(CLI::App& command, Arguments& arguments) {
  command
      .add_option("runs", arguments.runs,
                  "Folders of finished runs; with --vary, one scenario file instead")
      ->type_name("RUN")
      ->required();
  command
      .add_option("--vary", arguments.vary,
                  "Simulate the scenario with each of these values of a key, "
                  "section.key=value,value,...; may be repeated, for all combinations")
      ->type_name("KEY=VALUES")
      ->allow_extra_args(false);
  command
      .add_option("--jobs", arguments.jobs,
                  "Combinations at a time, 1 to 1024; as many as there are cores by default")
      ->type_name("N")
      ->check(CLI::Range(1, 1024).description(""));
  add_override_options(command, arguments);
  add_json_option(command, arguments);
}

int compare_runs(const Arguments& arguments) {
  if (!arguments.set.empty() || arguments.seed || arguments.jobs)
    throw wrong_command_line(
        "--set, --seed and --jobs are for a scenario that is varied; give --vary too");
  std::vector<nlohmann::json> summaries;
  for (const auto& path : arguments.runs) {
    if (std::filesystem::is_regular_file(path))
      throw wrong_command_line(fmt::format(
          "{} is a file and not the folder of a run; to compare variations of a scenario, say with "
          "--vary what to vary",
          path.string()));
    summaries.push_back(RunFolder::open(path).read_summary());
    summaries.back()["folder"] = path.string();
  }
  try {
    fmt::print("{}", arguments.json ? nlohmann::json(summaries).dump(2) + "\n"
                                    : comparison_text(summaries));
  } catch (const nlohmann::json::exception& fault) {
    throw base::Error(fmt::format("a summary.json is not what a run leaves: {}", fault.what()));
  }
  return 0;
}

SweepOrder sweep_order(const Arguments& arguments) {
  if (arguments.runs.size() != 1)
    throw wrong_command_line(fmt::format(
        "--vary takes one scenario file and there are {}; compare finished runs without --vary",
        arguments.runs.size()));
  return {arguments.runs.front(), arguments.set, arguments.seed, parse_variations(arguments.vary)};
}

int cores() { return std::max(1, static_cast<int>(std::thread::hardware_concurrency())); }

int compare_variations(const Arguments& arguments) {
  const auto order = sweep_order(arguments);
  const InterruptGuard interrupt;
  const auto sweep = run_sweep(order, arguments.jobs ? static_cast<int>(*arguments.jobs) : cores(),
                               {Progress::on_stderr(Progress::Form::kSilent), interrupt});
  fmt::print("{}", arguments.json ? sweep_json(sweep).dump(2) + "\n" : sweep_text(sweep));
  const auto failed =
      std::count_if(sweep.combinations.begin(), sweep.combinations.end(),
                    [](const Combination& combination) { return !combination.reason.empty(); });
  if (failed == 0) return 0;
  fmt::print(stderr, "frostline: {} of {} combinations did not run{}\n", failed,
             sweep.combinations.size(), sweep.interrupted ? ": interrupted" : "");
  return 1;
}

int run(const Arguments& arguments) {
  return arguments.vary.empty() ? compare_runs(arguments) : compare_variations(arguments);
}

}  // namespace

const Verb kCompare{"compare",
                    "Puts finished runs, or variations of a scenario, side by side in one table",
                    add_options, run};

}  // namespace frostline::app
