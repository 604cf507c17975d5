#include "app/schedule_output.h"

#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/file.h"
#include "pipeline/schedule_csv.h"
#include "pipeline/schedules/registry.h"

namespace frostline::app {
namespace {

constexpr const char* kComputeOnly = "compute_only";
constexpr const char* kComputeComms = "compute_comms";

void print_json() {
  nlohmann::json all = nlohmann::json::array();
  for (const auto& kind : pipeline::schedule_kinds()) {
    all.push_back(
        {{"name", kind.name}, {"shapes", kind.shapes}, {"description", kind.description}});
  }
  fmt::print("{}\n", all.dump(2));
}

void print_lines() {
  std::size_t width = 0;
  for (const auto& kind : pipeline::schedule_kinds()) width = std::max(width, kind.name.size());
  for (const auto& kind : pipeline::schedule_kinds()) {
    fmt::print("{:<{}}  {} Takes {}.\n", kind.name, width, kind.description, kind.shapes);
  }
}

}  // namespace

void add_schedule_options(CLI::App& command, Arguments& arguments) {
  command.add_flag("--list-schedules", arguments.list_schedules,
                   "Explain each schedule in a line, and run nothing");
  command
      .add_option("--schedule-out", arguments.schedule_out,
                  "Write the schedule of the last step, with what freezing left of it, as a CSV "
                  "that PyTorch loads")
      ->type_name("FILE.csv");
  command
      .add_option("--schedule-format", arguments.schedule_format,
                  "PyTorch's name of the CSV's format: compute_comms with sends and receives (the "
                  "default), or compute_only")
      ->type_name("FORMAT")
      ->check(CLI::IsMember({kComputeComms, kComputeOnly}).description(""));
}

void print_schedules(bool json) { json ? print_json() : print_lines(); }

void write_schedule(const pipeline::Schedule& schedule, const Arguments& arguments) {
  const bool all = arguments.schedule_format != kComputeOnly;
  base::write_file_atomically(arguments.schedule_out,
                              to_csv(all ? schedule : computations_of(schedule)));
}

}  // namespace frostline::app
