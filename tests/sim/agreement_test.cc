#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "pipeline/timeline.h"
#include "pipeline/step_path.h"
#include "sim/activation_memory.h"
#include "sim/step_simulation.h"
#include "tests/sim/random_plans.h"

namespace frostline::sim {
namespace {

using pipeline::Rank;

void show(const RandomPlan& drawn) {
  RC_LOG() << pipeline::to_text(drawn.plan.schedule) << "partition " << drawn.plan.partition.text()
           << " masks";
  for (int i = 0; i < drawn.plan.schedule->shape.micro_batches; ++i) {
    RC_LOG() << " " << drawn.plan.freeze.mask({i}).text();
  }
  RC_LOG() << "\n";
}

StepConditions recording() {
  StepConditions conditions;
  conditions.records_spans = true;
  return conditions;
}

/// The discrete events and the longest path of the schedule's graph are written separately and must
/// give the same instants.
RC_GTEST_PROP(Agreement, EventsGiveTheLongestPath, ()) {
  const RandomPlan drawn = draw_plan();
  show(drawn);
  const auto schedule = executable_schedule(drawn.plan, drawn.units);
  const cost::PlanTimes times(drawn.cost, drawn.units, drawn.plan);
  const pipeline::Timeline path = pipeline::longest_path_timeline(schedule, times);
  const SimulatedStep step = simulate_step(schedule, times, recording());
  RC_LOG() << "path\n" << path.text(base::Duration(1));
  RC_LOG() << "events\n" << step.timeline.text(base::Duration(1));
  RC_ASSERT((step.timeline.spans == path.spans));
  RC_ASSERT(step.use == path.use(schedule.shape.stages()));
  RC_ASSERT(step.use == pipeline::StepPath(drawn.plan, drawn.units, times).evaluate());
  RC_ASSERT(step.time() == cost::predict_step(drawn.cost, drawn.units, drawn.plan));
}

RC_GTEST_PROP(Agreement, MemoryReturnsToZero, ()) {
  const RandomPlan drawn = draw_plan();
  show(drawn);
  const auto schedule = executable_schedule(drawn.plan, drawn.units);
  const cost::PlanTimes times(drawn.cost, drawn.units, drawn.plan);
  for (const auto& actions : schedule.actions) {
    ActivationMemory memory(times);
    for (const pipeline::Action& action : actions) {
      if (pipeline::is_computation(action)) memory.perform(action);
    }
    RC_ASSERT(memory.held() == base::Bytes{0});
  }
}

/// A device computes one thing at a time, and no step is shorter than its busiest device.
RC_GTEST_PROP(Agreement, DevicesComputeOneThingAtATime, ()) {
  const RandomPlan drawn = draw_plan();
  const auto schedule = executable_schedule(drawn.plan, drawn.units);
  const SimulatedStep step =
      simulate_step(schedule, cost::PlanTimes(drawn.cost, drawn.units, drawn.plan), recording());
  const auto& spans = step.timeline.spans;
  for (std::size_t i = 1; i < spans.size(); ++i) {
    if (spans[i].rank == spans[i - 1].rank) RC_ASSERT(spans[i].start >= spans[i - 1].end);
  }
  for (const Rank rank : base::ids<Rank>(schedule.shape.ranks)) {
    RC_ASSERT(step.timeline.makespan() >= step.timeline.busy(rank));
  }
}

}  // namespace
}  // namespace frostline::sim
