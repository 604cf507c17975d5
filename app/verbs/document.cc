#include <fmt/core.h>

#include <CLI/CLI.hpp>

#include "app/documentation.h"
#include "app/verbs/verbs.h"

namespace frostline::app {
namespace {

void add_options(CLI::App& command, Arguments& arguments) {
  command.add_option("topic", arguments.topic, "What to document: scenario or verbs")
      ->required()
      ->type_name("TOPIC")
      ->check(CLI::IsMember({"scenario", "verbs"}).description(""));
}

int run(const Arguments& arguments) {
  fmt::print("{}", arguments.topic == "verbs" ? verbs_page() : scenario_page());
  return 0;
}

}  // namespace

const Verb kDocument{"document",
                     "Prints the page of the manual on the scenario file or on the verbs",
                     add_options, run};

}  // namespace frostline::app
