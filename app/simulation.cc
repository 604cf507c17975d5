#include "app/simulation.h"

#include <fmt/format.h>

#include "app/failures.h"
#include "app/step_detail.h"
#include "app/step_memory.h"
#include "base/error.h"
#include "sim/event_world.h"
#include "sim/path_world.h"

namespace frostline::app {
namespace {

using nlohmann::json;

/// The last plan's step: the figures that the summary of a simulated run adds.
json step_json(const sim::SimulatedStep& step) {
  json ranks = json::array();
  for (auto rank : base::ids<pipeline::Rank>(static_cast<int>(step.use.ranks.size())))
    ranks.push_back(step.use.bubble_rate(rank));
  return {{"step_time_ms", base::to_ms(step.time())},
          {"pipeline_time_ms", base::to_ms(step.use.makespan())},
          {"bubble_rate", step.use.bubble_rate()},
          {"rank_bubble_rate", std::move(ranks)}};
}

/// Of the last plan, after all that the run has trained.
json memory_json(const Scenario& scenario, const cost::ModelCost& cost, const FinishedRun& run) {
  auto untrained = run.outcome.mask;
  for (const auto& plan : run.plans) untrained = untrained & plan.mask;
  const StepDetail detail(scenario, cost, run.outcome.mask);
  return StepMemory(scenario, cost, run.outcome.mask, untrained).json(detail.step.timeline);
}

}  // namespace

std::unique_ptr<sim::SimulatedWorld> make_simulated_world(const Scenario& scenario,
                                                          const cost::ModelCost& cost,
                                                          const std::string& kind) {
  auto surroundings = sim::Surroundings::of(scenario.cluster, scenario.seed());
  if (kind == "event") {
    return std::make_unique<sim::EventWorld>(cost, scenario.units, std::move(surroundings));
  }
  const sim::TransferRules& rules = surroundings.rules;
  const bool plain = !rules.blocking_sends && !rules.late_receives &&
                     rules.send_overhead == base::Duration::zero() && surroundings.noise.none();
  if (!plain) {
    throw base::Error(
        "--world path has no blocking sends, late receives, send overheads, stragglers or jitter; "
        "leave those keys of [cluster] at their defaults, or use --world event");
  }
  return std::make_unique<sim::PathWorld>(cost, scenario.units);
}

FinishedRun simulate_scenario(const Scenario& scenario, const cost::ModelCost& cost,
                              sim::SimulatedWorld& world, const RunFolder* folder,
                              const Supervision& supervision) {
  auto run = run_scenario(scenario, cost, world, folder, false, supervision);
  if (run.outcome.ending == policy::Ending::kInterrupted)
    throw base::Error(fmt::format("interrupted after step {}", run.outcome.budget.used_steps));
  run.summary.update(step_json(world.step()));
  run.summary.update(failure_json(scenario, cost, run));
  run.summary.update(memory_json(scenario, cost, run));
  if (scenario.train.clock == "wall") run.summary["clock"] = "virtual";
  return run;
}

}  // namespace frostline::app
