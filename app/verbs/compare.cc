#include <fmt/core.h>

#include <CLI/CLI.hpp>

#include "app/run_folder.h"
#include "app/summary.h"
#include "app/verbs/verbs.h"
#include "base/error.h"

namespace frostline::app {
namespace {

void add_options(CLI::App& command, Arguments& arguments) {
  command.add_option("runs", arguments.runs, "Folders of finished runs")
      ->type_name("RUN")
      ->required();
  add_json_option(command, arguments);
}

int run(const Arguments& arguments) {
  std::vector<nlohmann::json> summaries;
  for (const auto& path : arguments.runs) {
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

}  // namespace

const Verb kCompare{"compare", "Puts finished runs side by side in one table", add_options, run};

}  // namespace frostline::app
