#include "cost/rank_memory.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "pipeline/schedules/registry.h"
#include "sim/step_simulation.h"
#include "tests/cost/plans.h"
#include "tests/sim/random_plans.h"

namespace frostline::sim {
namespace {

using pipeline::FreezeMask;
using pipeline::PipelineShape;
using pipeline::Plan;
using pipeline::UnitTable;

std::vector<base::Bytes> walked(const cost::ModelCost& cost, const UnitTable& units,
                                const Plan& plan) {
  const cost::PlanTimes times(cost, units, plan);
  std::vector<base::Bytes> peaks;
  for (const cost::RankMemory& rank : rank_memory(plan, executable_schedule(plan, units), times,
                                                  units, {4, 4, 8, FreezeMask(units.size())})) {
    peaks.push_back(rank.peak_activations);
  }
  return peaks;
}

std::vector<base::Bytes> simulated(const cost::ModelCost& cost, const UnitTable& units,
                                   const Plan& plan) {
  return simulate_step(executable_schedule(plan, units), cost::PlanTimes(cost, units, plan))
      .peak_activation;
}

const PipelineShape kShapes[] = {{1, 1, 3}, {2, 1, 4}, {4, 1, 8}, {2, 2, 4}, {4, 2, 8}, {3, 2, 6}};

/// Of every registered schedule, with nothing, a prefix, and the stages in between frozen.
TEST(RankMemory, PeaksAsTheSimulatedDevicesDo) {
  int compared = 0;
  for (const pipeline::ScheduleKind& kind : pipeline::schedule_kinds()) {
    for (const PipelineShape& shape : kShapes) {
      if (kind.refuse(shape)) continue;
      const int stages = shape.stages();
      const UnitTable units = UnitTable::of_layers(stages);
      const cost::ModelCost cost = cost::equal_layers(stages, cost::layer_cost(2, 3, 1));
      FreezeMask middle(stages);
      if (stages > 2) middle.freeze({stages / 2});
      for (const FreezeMask& mask :
           {FreezeMask(stages), freeze_leading_layers(units, stages / 2), middle}) {
        const Plan plan{kind.make(shape), pipeline::Partition::even(stages, stages),
                        pipeline::FreezePlan(mask)};
        EXPECT_EQ(walked(cost, units, plan), simulated(cost, units, plan))
            << kind.name << ", mask " << mask.text();
        ++compared;
      }
    }
  }
  EXPECT_GE(compared, 3 * static_cast<int>(pipeline::schedule_kinds().size()));
}

RC_GTEST_PROP(RankMemory, PeaksAsTheSimulatedDevicesDoUnderAnyMask, ()) {
  const RandomPlan drawn = draw_plan();
  RC_ASSERT(walked(drawn.cost, drawn.units, drawn.plan) ==
            simulated(drawn.cost, drawn.units, drawn.plan));
}

}  // namespace
}  // namespace frostline::sim
