#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>
#include <optional>

#include "app/failures.h"
#include "app/memory_check.h"
#include "app/run.h"
#include "app/schedule_output.h"
#include "app/setup.h"
#include "app/simulation.h"
#include "app/step_views.h"
#include "app/summary.h"
#include "app/table.h"
#include "app/verbs/verbs.h"
#include "base/error.h"

namespace frostline::app {
namespace {

using nlohmann::json;

/// Of the peak memory, in the order of their columns; a step without a model has the last ones
/// alone.
const char* const kMemoryParts[] = {"weights", "gradients", "optimizer", "buffers", "activations"};

std::string bytes_text(const json& bytes) {
  return base::to_text(base::Bytes{bytes.get<std::int64_t>()});
}

std::vector<std::string> rank_row(const json& step, std::size_t rank) {
  std::vector<std::string> row{std::to_string(rank),
                               fmt::format("{:.4f}", step["rank_bubble_rate"][rank].get<double>()),
                               fmt::format("{:.2f}", step["peak_activations"][rank].get<double>())};
  for (const auto* part : kMemoryParts)
    if (step["memory_parts"].contains(part))
      row.push_back(bytes_text(step["memory_parts"][part][rank]));
  row.push_back(bytes_text(step["peak_memory_bytes"][rank]));
  if (step.contains("device_memory_bytes"))
    row.push_back(bytes_text(step["device_memory_bytes"][rank]));
  row.push_back(fmt::format("{:.3f} ms", step["peak_memory_at_ms"][rank].get<double>()));
  return row;
}

std::string ranks_text(const json& step) {
  std::vector<std::vector<std::string>> rows{{"rank", "bubble rate", "peak activations"}};
  for (const auto* part : kMemoryParts)
    if (step.at("memory_parts").contains(part)) rows.front().emplace_back(part);
  rows.front().emplace_back("peak memory");
  if (step.contains("device_memory_bytes")) rows.front().emplace_back("of");
  rows.front().emplace_back("at");
  for (std::size_t rank = 0; rank < step.at("rank_bubble_rate").size(); ++rank)
    rows.push_back(rank_row(step, rank));
  return format_table(rows);
}

void print_text(const json& summary) {
  fmt::print("{}\n", summary_text(summary));
  fmt::print("{}", failure_text(summary));
  fmt::print(
      "Step at the end: {:.3f} ms, bubble rate {:.4f} (idle part of the longest rank's "
      "span).\n\n{}",
      summary["step_time_ms"].get<double>(), summary["bubble_rate"].get<double>(),
      ranks_text(summary));
  if (summary.contains("memory_problem"))
    fmt::print("\nMemory: {}\n", summary["memory_problem"].get<std::string>());
}

void add_options(CLI::App& command, Arguments& arguments) {
  add_scenario_options(command, arguments);
  add_json_option(command, arguments);
  add_step_view_options(command, arguments);
  command.add_option("--out", arguments.out, "Keep the run's log and summary in this new folder")
      ->type_name("FOLDER");
  add_schedule_options(command, arguments);
  command
      .add_option("--world", arguments.world,
                  "event (the default): discrete events, with all that [cluster] says; path: the "
                  "longest path, where every transfer has its links to itself")
      ->check(CLI::IsMember({"event", "path"}));
}

int run(const Arguments& arguments) {
  if (arguments.list_schedules) {
    print_schedules(arguments.json);
    return 0;
  }
  const auto scenario =
      read_scenario(arguments.scenario, arguments.set, arguments.seed, Use::kSimulate);
  const auto cost = scenario_cost(scenario);
  const auto memory_problem = check_memory(scenario, *cost);
  const auto world = make_simulated_world(scenario, *cost, arguments.world);
  const InterruptGuard interrupt;
  std::optional<RunFolder> folder;
  if (!arguments.out.empty()) {
    folder = RunFolder::create(arguments.out);
    folder->write_scenario(scenario.to_toml());
  }
  auto [outcome, summary, plans, _] = simulate_scenario(
      scenario, *cost, *world, folder ? &*folder : nullptr, {Progress::on_stderr(), interrupt});
  if (!arguments.trace.empty()) write_trace(arguments.trace, scenario, *cost, plans);
  const StepViews views(arguments, scenario, *cost, outcome.mask);
  views.add_to(summary);
  if (memory_problem) summary["memory_problem"] = *memory_problem;
  if (folder) folder->write_summary(summary);
  if (!arguments.schedule_out.empty()) write_schedule(world->schedule(), arguments);
  if (arguments.json)
    fmt::print("{}\n", summary.dump(2));
  else
    print_text(summary);
  if (!arguments.json) fmt::print("{}", views.text());
  return 0;
}

}  // namespace

const Verb kSimulate{"simulate", "Runs the scenario in virtual time and says what its steps cost",
                     add_options, run};

}  // namespace frostline::app
