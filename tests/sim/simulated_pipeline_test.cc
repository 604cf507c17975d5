#include "sim/simulated_pipeline.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "pipeline/lower.h"
#include "sim/step_simulation.h"
#include "tests/base/throws.h"
#include "tests/cost/plans.h"

namespace frostline::sim {
namespace {

using base::Duration;
using pipeline::Action;
using pipeline::FreezeMask;
using pipeline::FreezePlan;
using pipeline::Plan;
using pipeline::Schedule;
using pipeline::UnitTable;
using ::testing::HasSubstr;
using ::testing::StartsWith;

/// Two stages of one layer, F = 4, I = 3, W = 5, 1F1B, a delay of 2.
struct TwoRanks {
  explicit TwoRanks(int micro_batches)
      : plan(cost::make_plan("1f1b", {2, 1, micro_batches}, pipeline::Partition({1, 1}),
                             FreezePlan(FreezeMask(2)))),
        times(two_layers(), UnitTable::of_layers(2), plan),
        schedule(pipeline::lower(plan.schedule)) {}

  static cost::ModelCost two_layers() {
    cost::ModelCost cost = cost::equal_layers(2, cost::layer_cost(4, 3, 5));
    cost.send_ns = 2;
    return cost;
  }

  Plan plan;
  cost::PlanTimes times;
  Schedule schedule;
};

StepConditions recording() {
  StepConditions conditions;
  conditions.records_spans = true;
  return conditions;
}

void remove(Schedule& schedule, int rank, const std::string& text) {
  auto& actions = schedule.actions[static_cast<std::size_t>(rank)];
  actions.erase(std::find(actions.begin(), actions.end(), pipeline::parse_action(text)));
}

/// 0F0 ends at 4 and is there at 6; 1F0 and 1B0 take until 18; their gradient is back at 20.
TEST(SimulatedPipeline, FollowsOneMicroBatchThereAndBack) {
  const TwoRanks two(1);
  SimulatedPipeline pipeline(two.schedule, two.times, recording());
  pipeline.run();
  EXPECT_EQ(pipeline.timeline().text(Duration(1)),
            "rank 0 | 0F0 0-4 | 0B0 20-28\n"
            "rank 1 | 1F0 6-10 | 1B0 10-18\n");
  EXPECT_EQ(pipeline.loop().events(), 4U);
}

/// Rank 0 goes on with 0F1 right after 0F0: the transfer of 0F0, until 6, does not hold it up.
/// 1F1's input is there at 10, before 1B0 ends.
TEST(SimulatedPipeline, SendsHoldUpNobody) {
  const TwoRanks two(2);
  SimulatedPipeline pipeline(two.schedule, two.times, recording());
  pipeline.run();
  EXPECT_EQ(pipeline.timeline().text(Duration(1)),
            "rank 0 | 0F0 0-4 | 0F1 4-8 | 0B0 20-28 | 0B1 32-40\n"
            "rank 1 | 1F0 6-10 | 1B0 10-18 | 1F1 18-22 | 1B1 22-30\n");
}

/// Receives posted at the very start change nothing: they are done at once, and each computation
/// awaits its own.
TEST(SimulatedPipeline, ReceivesMayBePostedEarly) {
  const TwoRanks two(2);
  Schedule early = two.schedule;
  for (auto& actions : early.actions) {
    std::stable_partition(actions.begin(), actions.end(), [](const Action& action) {
      return pipeline::is_receive(action.first().kind);
    });
  }
  SimulatedPipeline pipeline(early, two.times, recording());
  pipeline.run();
  EXPECT_EQ(pipeline.timeline().spans, simulate_step(two.schedule, two.times, recording()).timeline.spans);
}

/// Without 0SEND_F1 rank 1 waits for it for ever, and rank 0 for the gradient that follows.
TEST(SimulatedPipeline, ListsTheRanksThatAMissingSendBlocks) {
  TwoRanks two(2);
  remove(two.schedule, 0, "0SEND_F1");
  const std::string message = base::message_of([&] { simulate_step(two.schedule, two.times); });
  EXPECT_THAT(message, StartsWith("schedule '1f1b' deadlocked after"));
  EXPECT_THAT(message, HasSubstr("\n  rank 0 stands before 0B1, which waits for 0RECV_B1, whose "
                                 "send 1SEND_B1 was not performed"));
  EXPECT_THAT(message, HasSubstr("\n  rank 1 stands before 1F1, which waits for 1RECV_F1, whose "
                                 "send 0SEND_F1 was not performed"));
}

TEST(SimulatedPipeline, WaitsForEverForAReceiveThatIsNotPosted) {
  TwoRanks two(1);
  remove(two.schedule, 1, "1RECV_F0");
  EXPECT_THAT(
      base::message_of([&] { simulate_step(two.schedule, two.times); }),
      HasSubstr("rank 1 stands before 1F0, which waits for 1RECV_F0, which was not posted"));
}

TEST(SimulatedPipeline, WaitsForEverForAComputationThatStandsBehind) {
  TwoRanks two(1);
  std::swap(two.schedule.actions[1][1], two.schedule.actions[1][2]);  // 1F0 and 1B0
  EXPECT_THAT(base::message_of([&] { simulate_step(two.schedule, two.times); }),
              HasSubstr("rank 1 stands before 1B0, which waits for 1F0, which was not performed"));
}

}  // namespace
}  // namespace frostline::sim
