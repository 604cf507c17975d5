#include "sim/activation_memory.h"

#include <gtest/gtest.h>

#include "tests/cost/plans.h"

namespace frostline::sim {
namespace {

using base::Bytes;
using pipeline::Action;
using pipeline::ActionKind;
using pipeline::FreezeMask;
using pipeline::FreezePlan;

/// Each layer holds 100 bytes, 40 of them for W.
cost::PlanTimes times_of(const FreezePlan& freeze) {
  const auto plan = cost::make_plan("1f1b", {2, 1, 2}, pipeline::Partition({1, 1}), freeze);
  return {cost::equal_layers(2, cost::layer_cost(1, 1, 1)), pipeline::UnitTable::of_layers(2),
          plan};
}

TEST(ActivationMemory, IsHeldFromForwardToBackward) {
  const auto times = times_of(FreezePlan(FreezeMask(2)));
  ActivationMemory memory(times);
  memory.perform(Action(ActionKind::kForward, {0}, {0}));
  memory.perform(Action(ActionKind::kForward, {0}, {1}));
  EXPECT_EQ(memory.held(), Bytes{200});
  memory.perform(Action(ActionKind::kBackward, {0}, {0}));
  EXPECT_EQ(memory.held(), Bytes{100});
  EXPECT_EQ(memory.peak(), Bytes{200});
}

TEST(ActivationMemory, IsReleasedInTwoPartsBySplitBackwards) {
  const auto times = times_of(FreezePlan(FreezeMask(2)));
  ActivationMemory memory(times);
  memory.perform(Action(ActionKind::kForward, {0}, {0}));
  memory.perform(Action(ActionKind::kInputGradient, {0}, {0}));
  EXPECT_EQ(memory.held(), Bytes{40});
  memory.perform(Action(ActionKind::kWeightGradient, {0}, {0}));
  EXPECT_EQ(memory.held(), Bytes{0});
}

TEST(ActivationMemory, IsReleasedByTheInputGradientOfAFrozenStage) {
  const auto times = times_of(FreezePlan(FreezeMask::from_text("01")));
  ActivationMemory memory(times);
  memory.perform(Action(ActionKind::kForward, {1}, {0}));
  EXPECT_EQ(memory.held(), Bytes{100});
  memory.perform(Action(ActionKind::kInputGradient, {1}, {0}));
  EXPECT_EQ(memory.held(), Bytes{0});
}

TEST(ActivationMemory, IsNotHeldBelowTheFrostLine) {
  const auto times = times_of(FreezePlan(FreezeMask::from_text("10")));
  ActivationMemory memory(times);
  memory.perform(Action(ActionKind::kForward, {0}, {0}));
  EXPECT_EQ(memory.peak(), Bytes{0});
}

/// The two run at the same time: what the forward makes comes on top of what the backward uses.
TEST(ActivationMemory, OfAnOverlappedPairPeaksWithBoth) {
  const auto times = times_of(FreezePlan(FreezeMask(2)));
  ActivationMemory memory(times);
  memory.perform(Action(ActionKind::kForward, {0}, {0}));
  memory.perform(Action::overlap({ActionKind::kForward, {0}, pipeline::MicroBatch{1}},
                                 {ActionKind::kBackward, {0}, pipeline::MicroBatch{0}}));
  EXPECT_EQ(memory.peak(), Bytes{200});
  EXPECT_EQ(memory.held(), Bytes{100});
}

}  // namespace
}  // namespace frostline::sim
