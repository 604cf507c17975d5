#include "app/run.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <utility>

#include "app/run_record.h"
#include "app/setup.h"
#include "app/summary.h"
#include "base/error.h"
#include "policy/policies/registry.h"

namespace frostline::app {
namespace {

using nlohmann::json;

/// The run's events up to a checkpoint after `steps` steps: what came later is done again. Throws
/// base::Error for a log that ends before its checkpoint: its summary would be wrong.
std::vector<json> events_until(std::vector<json> events, std::int64_t steps,
                               const std::filesystem::path& log) {
  const auto later = std::find_if(events.begin(), events.end(),
                                  [&](const json& event) { return step_of(event) > steps; });
  events.erase(later, events.end());
  const auto is_step = [](const json& event) { return event.at("event") == "step"; };
  const auto found = std::count_if(events.begin(), events.end(), is_step);
  if (found == steps) return events;
  throw base::Error(fmt::format(
      "{}: holds {} steps and the checkpoint is after step {}; restore the log that belongs to it",
      log.string(), found, steps));
}

std::vector<json> past_events(const RunFolder& folder, std::int64_t steps) {
  try {
    return events_until(folder.read_log(), steps, folder.log());
  } catch (const json::exception& fault) {
    throw base::Error(fmt::format("{}: not a log that `frostline train` wrote: {}",
                                  folder.log().string(), fault.what()));
  }
}

json shown_test_score(pipeline::World& world) {
  const auto score = world.validate(pipeline::Split::kTest).score;
  return score ? json(world.measure().shown(*score)) : json(nullptr);
}

}  // namespace

FinishedRun run_scenario(const Scenario& scenario, const std::optional<cost::ModelCost>& cost,
                         pipeline::World& world, const RunFolder* folder, bool resume,
                         const Supervision& supervision) {
  const auto policy = policy::make_policy(scenario.freeze, scenario.units);
  RunObserver observer(scenario.units, world.measure(), supervision);
  const auto initial_mask = policy->initial_mask();
  const auto planner =
      [plan = make_plan(scenario, cost, initial_mask)](const pipeline::FreezeMask& mask) mutable {
        plan.freeze = pipeline::FreezePlan(mask);
        return plan;
      };
  policy::TrainingLoop loop(
      world, *policy, scenario.units, planner,
      loop_settings(scenario, cost, folder ? folder->checkpoint() : std::filesystem::path()),
      observer);
  std::vector<json> events{start_event(scenario.units, initial_mask, scenario.freeze.judging_step)};
  if (resume) events = past_events(*folder, loop.resume(folder->checkpoint()));
  auto log = folder ? std::make_unique<RunLog>(folder->log(), events) : nullptr;
  observer.begin(events, std::move(log));

  FinishedRun run{loop.run(), {}, {}, {}};
  observer.clear();
  run.plans = observer.plans();
  run.checkpoint_time = observer.checkpoint_time();
  run.summary = summarise(scenario, observer.step_times(), run.outcome, world.measure());
  if (run.outcome.ending != policy::Ending::kInterrupted)
    run.summary["test_score"] = shown_test_score(world);
  return run;
}

}  // namespace frostline::app
