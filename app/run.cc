#include "app/run.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "app/run_observer.h"
#include "app/run_record.h"
#include "app/setup.h"
#include "app/summary.h"
#include "base/error.h"
#include "policy/policies/registry.h"

namespace frostline::app {
namespace {

using nlohmann::json;

/// The run's events up to a checkpoint after `steps` steps: what came later is done again.
std::vector<json> events_until(std::vector<json> events, std::int64_t steps) {
  const auto later = std::find_if(events.begin(), events.end(),
                                  [&](const json& event) { return step_of(event) > steps; });
  events.erase(later, events.end());
  return events;
}

json shown_test_score(pipeline::World& world) {
  const auto score = world.validate(pipeline::Split::kTest).score;
  return score ? json(world.measure().shown(*score)) : json(nullptr);
}

}  // namespace

FinishedRun run_scenario(const Scenario& scenario, const std::optional<cost::ModelCost>& cost,
                         pipeline::World& world, const RunFolder* folder, bool resume) {
  const auto policy = policy::make_policy(scenario.freeze, scenario.units);
  RunObserver observer(scenario.units, world.measure(), Progress::on_stderr());
  policy::TrainingLoop loop(
      world, *policy, scenario.units,
      [&](const pipeline::FreezeMask& mask) { return make_plan(scenario, cost, mask); },
      loop_settings(scenario, cost, folder ? folder->checkpoint() : std::filesystem::path()),
      observer);
  std::vector<json> events{
      start_event(scenario.units, policy->initial_mask(), scenario.freeze.judging_step)};
  if (resume) events = events_until(folder->read_log(), loop.resume(folder->checkpoint()));
  auto log = folder ? std::make_unique<RunLog>(folder->log(), events) : nullptr;
  observer.begin(std::move(events), std::move(log));

  FinishedRun run{loop.run(), {}};
  observer.clear();
  run.summary = summarise(scenario, observer.events(), run.outcome, world.measure());
  if (run.outcome.ending != policy::Ending::kInterrupted)
    run.summary["test_score"] = shown_test_score(world);
  return run;
}

}  // namespace frostline::app
