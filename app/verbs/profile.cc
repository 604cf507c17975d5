#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include "app/progress.h"
#include "app/real.h"
#include "app/setup.h"
#include "app/table.h"
#include "app/verbs/verbs.h"
#include "cost/profile.h"

namespace frostline::app {
namespace {

std::string milliseconds(double ns) { return fmt::format("{:.3f}", ns / 1e6); }

void print_text(const cost::Profile& profile, const std::filesystem::path& file) {
  std::vector<std::vector<std::string>> rows{{"ms per micro-batch", "forward", "below the line",
                                              "input grad.", "weight grad.", "frozen backward",
                                              "optimizer"}};
  for (std::size_t layer = 0; layer < profile.layer_names.size(); ++layer) {
    const auto& cost = profile.cost.layers.at(layer);
    rows.push_back({profile.layer_names[layer], milliseconds(cost.forward_ns),
                    milliseconds(cost.forward_below_ns), milliseconds(cost.input_gradient_ns),
                    milliseconds(cost.weight_gradient_ns), milliseconds(cost.frozen_backward_ns),
                    milliseconds(cost.optimizer_ns)});
  }
  fmt::print(
      "{}\n{} samples a micro-batch, {} ranks busy, medians of {}, largest interquartile range "
      "{:.1f} %\n"
      "written to {}\n",
      format_table(rows), profile.micro_batch_size, profile.ranks, profile.repeats,
      100 * profile.spread, file.string());
}

void add_options(CLI::App& command, Arguments& arguments) {
  add_scenario_options(command, arguments);
  add_json_option(command, arguments);
  command.add_option("--out", arguments.out, "The file to write; profile.json by default")
      ->type_name("FILE");
  command
      .add_option("--repeats", arguments.repeats,
                  "Rounds of measurement, 3 to 10000, 30 by default; a figure is their median")
      ->type_name("N")
      ->check(CLI::Range(3, 10000).description(""))
      ->capture_default_str();
}

int run(const Arguments& arguments) {
  require_libtorch("profile");
  const auto scenario =
      read_scenario(arguments.scenario, arguments.set, arguments.seed, Use::kProfile);
  const auto file = arguments.out.empty() ? std::filesystem::path("profile.json") : arguments.out;
  auto bar = Progress::on_stderr();
  const auto profile = measure_profile(scenario, static_cast<int>(arguments.repeats),
                                       [&](double share) { bar.show_share("measuring", share); });
  bar.clear();
  cost::write_profile(file, profile);
  if (arguments.json)
    fmt::print("{}\n", nlohmann::json{{"file", file.string()}, {"spread", profile.spread}}.dump(2));
  else
    print_text(profile, file);
  return 0;
}

}  // namespace

const Verb kProfile{"profile",
                    "Measures the model on this machine and writes a profile that simulate reads",
                    add_options, run};

}  // namespace frostline::app
