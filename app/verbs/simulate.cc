#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>
#include <optional>

#include "app/run.h"
#include "app/schedule_output.h"
#include "app/setup.h"
#include "app/summary.h"
#include "app/table.h"
#include "app/verbs/verbs.h"
#include "base/error.h"
#include "sim/event_world.h"

namespace frostline::app {
namespace {

using nlohmann::json;

/// The last plan's step: the figures that the summary of a simulated run adds.
json step_json(const sim::SimulatedStep& step) {
  json ranks = json::array();
  for (auto rank : base::ids<pipeline::Rank>(step.timeline.ranks))
    ranks.push_back(step.timeline.bubble_rate(rank));
  json bytes = json::array();
  for (auto peak : step.peak_activation) bytes.push_back(peak.count);
  return {{"step_time_ms", base::to_ms(step.time())},
          {"pipeline_time_ms", base::to_ms(step.timeline.makespan())},
          {"bubble_rate", step.timeline.bubble_rate()},
          {"rank_bubble_rate", std::move(ranks)},
          {"peak_activations", step.peak_activations},
          {"peak_activation_bytes", std::move(bytes)}};
}

std::string ranks_text(const json& step) {
  std::vector<std::vector<std::string>> rows{
      {"rank", "bubble rate", "peak activations", "peak bytes"}};
  for (std::size_t rank = 0; rank < step.at("rank_bubble_rate").size(); ++rank)
    rows.push_back(
        {std::to_string(rank), fmt::format("{:.4f}", step["rank_bubble_rate"][rank].get<double>()),
         fmt::format("{:.2f}", step["peak_activations"][rank].get<double>()),
         base::to_text(base::Bytes{step["peak_activation_bytes"][rank].get<std::int64_t>()})});
  return format_table(rows);
}

void print_text(const json& summary) {
  fmt::print("{}\n", summary_text(summary));
  fmt::print(
      "Step at the end: {:.3f} ms, bubble rate {:.4f} (idle part of the longest rank's "
      "span).\n\n{}",
      summary["step_time_ms"].get<double>(), summary["bubble_rate"].get<double>(),
      ranks_text(summary));
}

void add_options(CLI::App& command, Arguments& arguments) {
  add_scenario_options(command, arguments);
  add_json_option(command, arguments);
  command.add_option("--out", arguments.out, "Keep the run's log and summary in this new folder")
      ->type_name("FOLDER");
  add_schedule_options(command, arguments);
}

int run(const Arguments& arguments) {
  if (arguments.list_schedules) {
    print_schedules(arguments.json);
    return 0;
  }
  const auto scenario =
      read_scenario(arguments.scenario, arguments.set, arguments.seed, Use::kSimulate);
  const auto cost = scenario_cost(scenario);
  sim::EventWorld world(*cost, scenario.units);
  std::optional<RunFolder> folder;
  if (!arguments.out.empty()) {
    folder = RunFolder::create(arguments.out);
    folder->write_scenario(scenario.to_toml());
  }
  auto [outcome, summary] = run_scenario(scenario, cost, world, folder ? &*folder : nullptr, false);
  if (outcome.ending == policy::Ending::kInterrupted) {
    throw base::Error(fmt::format("interrupted after step {}", outcome.budget.used_steps));
  }
  summary.update(step_json(world.step()));
  if (scenario.train.clock == "wall") summary["clock"] = "virtual";
  if (folder) folder->write_summary(summary);
  if (!arguments.schedule_out.empty()) write_schedule(world.schedule(), arguments);
  if (arguments.json)
    fmt::print("{}\n", summary.dump(2));
  else
    print_text(summary);
  return 0;
}

}  // namespace

const Verb kSimulate{"simulate", "Runs the scenario in virtual time and says what its steps cost",
                     add_options, run};

}  // namespace frostline::app
