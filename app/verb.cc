#include "app/verb.h"

#include <CLI/CLI.hpp>
#include <array>

#include "app/verbs/verbs.h"

namespace frostline::app {

std::span<const Verb> verbs() {
  static const std::array kTable{kCheck, kSimulate, kTrain, kProfile, kCompare, kDocument};
  return kTable;
}

void add_scenario_options(CLI::App& command, Arguments& arguments) {
  command.add_option("scenario", arguments.scenario, "The scenario file")
      ->type_name("SCENARIO.toml");
  add_override_options(command, arguments);
}

void add_override_options(CLI::App& command, Arguments& arguments) {
  command
      .add_option("--set", arguments.set,
                  "Override one key of the scenario: section.key=value; may be repeated")
      ->type_name("KEY=VALUE")
      ->allow_extra_args(false);
  command.add_option("--seed", arguments.seed, "Override the scenario's seed")
      ->type_name("N")
      ->check(CLI::NonNegativeNumber.description(""));
}

void add_json_option(CLI::App& command, Arguments& arguments) {
  command.add_flag("--json", arguments.json, "Print one JSON object instead of text");
}

base::InvalidInput wrong_command_line(const std::string& what) {
  return base::InvalidInput(std::vector<base::Problem>{{base::Place{}, what}});
}

}  // namespace frostline::app
