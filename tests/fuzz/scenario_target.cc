/// The scenario file: whatever the text is, it is read or refused with problems, and what is read
/// can be written and read again, and run if it is small.
#include <cstdlib>
#include <string>
#include <string_view>

#include "app/setup.h"
#include "base/error.h"
#include "pipeline/rewrite.h"
#include "policy/policies/registry.h"
#include "sim/step_simulation.h"
#include "tests/fuzz/target.h"

namespace frostline::app {
namespace {

/// Stages x micro-batches: more is sound, but takes a target too long.
constexpr std::int64_t kMostCells = 4096;
constexpr std::int64_t kMostLayers = 4096;

Scenario read(std::string_view text) {
  return read_scenario(base::Document::from_text(text, "fuzz.toml", "/nowhere"), Use::kSimulate);
}

void simulate(const Scenario& scenario) {
  const auto cost = scenario_cost(scenario);
  const auto mask = policy::make_policy(scenario.freeze, scenario.units)->initial_mask();
  const pipeline::Plan plan = make_plan(scenario, cost, mask);
  const cost::PlanTimes times(cost.value(), scenario.units, plan);
  sim::simulate_step(executable_schedule(plan, scenario.units), times);
}

void run(std::string_view text) {
  const Scenario scenario = read(text);
  const std::string written = scenario.to_toml();
  if (read(written).to_toml() != written) std::abort();
  const auto& pipeline = scenario.pipeline;
  const bool small = pipeline.ranks * pipeline.chunks * pipeline.micro_batches <= kMostCells &&
                     scenario.layers() <= kMostLayers;
  if (small) simulate(scenario);
}

}  // namespace
}  // namespace frostline::app

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  try {
    frostline::app::run({reinterpret_cast<const char*>(data), size});
  } catch (const frostline::base::Error&) {
  }
  return 0;
}
