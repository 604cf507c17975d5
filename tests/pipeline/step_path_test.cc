#include "pipeline/step_path.h"

#include <gtest/gtest.h>

#include "pipeline/lower.h"
#include "pipeline/schedules/registry.h"
#include "pipeline/timeline.h"
#include "tests/pipeline/samples.h"

namespace frostline::pipeline {
namespace {

Plan plan_of(Schedule schedule, int frozen_layers = 0) {
  const int stages = schedule.shape.stages();
  return {std::move(schedule), Partition::even(stages, stages),
          FreezePlan(freeze_leading_layers(UnitTable::of_layers(stages), frozen_layers)),
          Cut::kPrefix};
}

StepUse path_of(const Plan& plan, const ActionTimes& times) {
  return StepPath(plan, UnitTable::of_layers(plan.partition.layers()), times).evaluate();
}

std::int64_t ticks(base::Duration time) { return time / kTick; }

// Two ranks, two micro-batches, F = 1, B = 2, a hop of 5:
// rank 0: 0F0 0-1, 0F1 1-2, 0B0 14-16, 0B1 17-19; rank 1: 1F0 6-7, 1B0 7-9, 1F1 9-10, 1B1 10-12.
TEST(StepPath, FollowsAHandWorkedStep) {
  const StepUse use = path_of(plan_of(make_schedule("1f1b", {2, 1, 2})), EqualStages(1, 1, 1, 5));
  EXPECT_EQ(ticks(use.ranks[0].first_start), 0);
  EXPECT_EQ(ticks(use.ranks[0].last_end), 19);
  EXPECT_EQ(ticks(use.ranks[1].first_start), 6);
  EXPECT_EQ(ticks(use.ranks[1].last_end), 12);
  EXPECT_EQ(ticks(use.ranks[0].busy), 6);
  EXPECT_EQ(ticks(use.makespan()), 19);
  EXPECT_EQ(ticks(use.cost()), 19);
  EXPECT_DOUBLE_EQ(use.bubble_rate(), 1 - 12.0 / 38);
  EXPECT_EQ(use.gradients[0], (LastGradient{17 * kTick, 19 * kTick}));
  EXPECT_EQ(use.gradients[1], (LastGradient{10 * kTick, 12 * kTick}));
}

TEST(StepPath, LeavesOutWhatIsFrozen) {
  const EqualStages times(1, 1, 1);
  StepPath frozen(plan_of(make_schedule("1f1b", {2, 1, 2}), 1), UnitTable::of_layers(2), times);
  const StepUse use = frozen.evaluate();
  EXPECT_EQ(use.computations(), 6);
  EXPECT_EQ(ticks(use.ranks[0].busy), 2);
  EXPECT_EQ(ticks(use.makespan()), 7);
  EXPECT_EQ(use.gradients[0], LastGradient{});
}

TEST(StepPath, EvaluatesAnewEachTime) {
  const EqualStages times(3, 4, 5, 1);
  StepPath path(plan_of(make_schedule("zb_h1", {4, 1, 8})), UnitTable::of_layers(4), times);
  const StepUse first = path.evaluate();
  EXPECT_EQ(path.evaluate(), first);
}

/// A way that is busy for a while: the next transfer waits for it.
struct NarrowWays : EqualStages {
  NarrowWays() : EqualStages(1, 1, 1, 4) {}
  base::Duration occupancy(const Step&) const override { return 3 * kTick; }
};

// GPipe on two ranks: outputs leave at 1, 4, 7 and arrive at 5, 8, 11; gradients leave after 13, 16
// (their way is as busy), 19.
TEST(StepPath, TransfersOfOneWayLeaveOneAfterTheOther) {
  const StepUse use = path_of(plan_of(make_schedule("gpipe", {2, 1, 3})), NarrowWays());
  EXPECT_EQ(ticks(use.ranks[1].first_start), 5);
  // 1F0 5-6, 1F1 8-9, 1F2 11-12; 1B0 12-14, 1B1 14-16, 1B2 16-18: gradients leave at 14, 17, 20.
  EXPECT_EQ(ticks(use.ranks[1].last_end), 18);
  EXPECT_EQ(ticks(use.ranks[0].last_end), 26);
}

TEST(StepPath, SendsPlacedByHandLeaveWhereTheyStand) {
  Schedule late = lower(make_schedule("gpipe", {2, 1, 2}));
  auto& actions = late.actions[0];  // 0F0 SEND_F0 0F1 SEND_F1 ...: the first send behind 0F1
  std::swap(actions[1], actions[2]);
  const EqualStages times(1, 1, 1);
  EXPECT_EQ(ticks(path_of(plan_of(late), times).ranks[1].first_start), 2);
  EXPECT_EQ(path_of(plan_of(late), times),
            longest_path_timeline(late, times).use(2));
}

TEST(StepPath, SaysWhyAPlanCannotRun) {
  Schedule schedule = make_schedule("gpipe", {2, 1, 2});
  std::swap(schedule.actions[0].front(), schedule.actions[0].back());
  EXPECT_NE(error_of([&] { path_of(plan_of(schedule), EqualStages()); }).find("rule 5"),
            std::string::npos);
  Schedule shorter = make_schedule("gpipe", {2, 1, 2});
  shorter.actions[1].erase(shorter.actions[1].begin());
  EXPECT_NE(error_of([&] { path_of(plan_of(shorter), EqualStages()); }).find("rule"),
            std::string::npos);
}

}  // namespace
}  // namespace frostline::pipeline
