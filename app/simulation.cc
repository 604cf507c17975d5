#include "app/simulation.h"

#include <fmt/format.h>

#include "app/step_memory.h"
#include "base/error.h"

namespace frostline::app {
namespace {

using nlohmann::json;

/// The last plan's step: the figures that the summary of a simulated run adds.
json step_json(const sim::SimulatedStep& step) {
  json ranks = json::array();
  for (auto rank : base::ids<pipeline::Rank>(step.timeline.ranks))
    ranks.push_back(step.timeline.bubble_rate(rank));
  return {{"step_time_ms", base::to_ms(step.time())},
          {"pipeline_time_ms", base::to_ms(step.timeline.makespan())},
          {"bubble_rate", step.timeline.bubble_rate()},
          {"rank_bubble_rate", std::move(ranks)}};
}

/// Of the last plan, after all that the run has trained.
json memory_json(const Scenario& scenario, const cost::ModelCost& cost, const FinishedRun& run,
                 const pipeline::Timeline& timeline) {
  auto untrained = run.outcome.mask;
  for (const auto& plan : run.plans) untrained = untrained & plan.mask;
  return StepMemory(scenario, cost, run.outcome.mask, untrained).json(timeline);
}

}  // namespace

FinishedRun simulate_scenario(const Scenario& scenario, const cost::ModelCost& cost,
                              sim::EventWorld& world, const RunFolder* folder,
                              const Supervision& supervision) {
  auto run = run_scenario(scenario, cost, world, folder, false, supervision);
  if (run.outcome.ending == policy::Ending::kInterrupted)
    throw base::Error(fmt::format("interrupted after step {}", run.outcome.budget.used_steps));
  run.summary.update(step_json(world.step()));
  run.summary.update(memory_json(scenario, cost, run, world.step().timeline));
  if (scenario.train.clock == "wall") run.summary["clock"] = "virtual";
  return run;
}

}  // namespace frostline::app
