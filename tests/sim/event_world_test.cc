#include "sim/event_world.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "base/safetensors.h"
#include "tests/base/throws.h"
#include "tests/cost/plans.h"

namespace frostline::sim {
namespace {

using base::Duration;
using pipeline::Budget;
using pipeline::FreezeMask;
using pipeline::FreezePlan;
using pipeline::Order;
using pipeline::Report;
using pipeline::StepRecord;
using pipeline::UnitTable;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

/// Two stages with F = I = W = 10, one micro-batch: 60 a step, 40 with the first layer frozen.
cost::ModelCost two_layers() {
  cost::ModelCost cost = cost::equal_layers(2, cost::layer_cost(10, 10, 10));
  cost.validation_ns = 25.5;
  return cost;
}

pipeline::Plan plan_with(const char* mask) {
  return cost::make_plan("gpipe", {2, 1, 1}, pipeline::Partition({1, 1}),
                         FreezePlan(FreezeMask::from_text(mask)));
}

EventWorld world_of(const UnitTable& units = UnitTable::of_layers(2)) {
  return EventWorld(two_layers(), units);
}

Order order_of(int steps) {
  Order order;
  order.steps = steps;
  order.budget.steps = 100;
  order.learning_rate = {1.0, pipeline::LearningRateRule::Shape::kLinear, 0.0, 0.0};
  return order;
}

TEST(EventWorld, RunsTheStepsOrdered) {
  EventWorld world = world_of();
  const auto plan = plan_with("00");
  EXPECT_EQ(world.transition(plan), Duration(0));
  const Report report = world.run_steps(plan, order_of(3));
  ASSERT_EQ(report.steps.size(), 3U);
  EXPECT_EQ(report.steps[0].number, 1);
  EXPECT_EQ(report.steps[2].number, 3);
  for (const StepRecord& step : report.steps) {
    EXPECT_EQ(step.time, Duration(60));
    EXPECT_EQ(step.wall, Duration(60));
    EXPECT_EQ(step.loss, std::nullopt);
  }
  EXPECT_THAT(report.memory, IsEmpty());
}

/// 100 steps are the budget: the linear rule falls by a hundredth a step.
TEST(EventWorld, FollowsTheLearningRateRuleByTheBudgetUsed) {
  EventWorld world = world_of();
  const auto plan = plan_with("00");
  world.transition(plan);
  Order order = order_of(2);
  order.budget.used_steps = 50;
  const Report report = world.run_steps(plan, order);
  EXPECT_DOUBLE_EQ(report.steps[0].budget_share, 0.5);
  EXPECT_DOUBLE_EQ(report.steps[0].learning_rate, 0.5);
  EXPECT_DOUBLE_EQ(report.steps[1].budget_share, 0.51);
  EXPECT_DOUBLE_EQ(report.steps[1].learning_rate, 0.49);
}

/// A time budget of 100 with steps of 60 takes two: the second begins within it.
TEST(EventWorld, StopsWhenTheBudgetIsUsedUp) {
  EventWorld world = world_of();
  const auto plan = plan_with("00");
  world.transition(plan);
  Order order = order_of(10);
  order.budget = Budget{Budget::Kind::kTime, 0, Duration(100)};
  const Report report = world.run_steps(plan, order);
  ASSERT_EQ(report.steps.size(), 2U);
  EXPECT_DOUBLE_EQ(report.steps[1].budget_share, 0.6);
  order.budget.used_time = Duration(100);
  EXPECT_THAT(world.run_steps(plan, order).steps, IsEmpty());
}

TEST(EventWorld, ChargesThePredictedTimeWhereThereIsOne) {
  EventWorld world = world_of();
  const auto plan = plan_with("00");
  world.transition(plan);
  Order order = order_of(10);
  order.budget = Budget{Budget::Kind::kTime, 0, Duration(100)};
  order.step_time = Duration(20);
  const Report report = world.run_steps(plan, order);
  ASSERT_EQ(report.steps.size(), 5U);
  EXPECT_EQ(report.steps[0].time, Duration(20));
  EXPECT_EQ(report.steps[0].wall, Duration(60));
}

TEST(EventWorld, EndsTheOrderWhenToldTo) {
  EventWorld world = world_of();
  const auto plan = plan_with("00");
  world.transition(plan);
  Order order = order_of(10);
  std::vector<std::int64_t> seen;
  order.after_step = [&](const StepRecord& step) {
    seen.push_back(step.number);
    return step.number < 4;
  };
  EXPECT_EQ(world.run_steps(plan, order).steps.size(), 4U);
  EXPECT_EQ(seen, (std::vector<std::int64_t>{1, 2, 3, 4}));
}

/// With layer 0 frozen rank 1 does F, I and W after one F of rank 0.
TEST(EventWorld, TakesThePlanOfTheLastTransition) {
  EventWorld world = world_of();
  const auto whole = plan_with("00");
  const auto frozen = plan_with("10");
  world.transition(whole);
  EXPECT_EQ(world.step().time(), Duration(60));
  world.transition(frozen);
  EXPECT_EQ(world.step().time(), Duration(40));
  EXPECT_EQ(world.run_steps(frozen, order_of(1)).steps[0].time, Duration(40));
  EXPECT_DEATH(world.run_steps(whole, order_of(1)), "plan == now_");
  world.transition(whole);
  EXPECT_EQ(world.step().time(), Duration(60));
}

/// More plans than are remembered: each is still the one of its transition.
TEST(EventWorld, ForgetsOldPlansWithoutLosingTheCurrentOne) {
  EventWorld world = world_of();
  for (int micro_batches = 1; micro_batches <= 200; ++micro_batches) {
    world.transition(cost::make_plan("gpipe", {2, 1, micro_batches}, pipeline::Partition({1, 1}),
                                     FreezePlan(FreezeMask(2))));
    EXPECT_EQ(world.step().time(), Duration((micro_batches + 1) * 30));
  }
}

TEST(EventWorld, RefusesAnOrderForStatistics) {
  EventWorld world = world_of();
  const auto plan = plan_with("00");
  world.transition(plan);
  Order order = order_of(1);
  order.statistics.units = {{0}};
  EXPECT_THAT(base::message_of([&] { world.run_steps(plan, order); }),
              HasSubstr("no model of learning yet"));
}

TEST(EventWorld, RefusesAPlanThatCannotRunAndKeepsTheOneBefore) {
  EventWorld world = world_of();
  const auto sound = plan_with("00");
  world.transition(sound);
  auto broken = sound;
  pipeline::Schedule schedule = sound.schedule;
  schedule.actions[1].pop_back();
  broken.schedule = schedule;
  EXPECT_THAT(base::message_of([&] { world.transition(broken); }), HasSubstr("not sound"));
  EXPECT_EQ(world.run_steps(sound, order_of(1)).steps.size(), 1U);
}

TEST(EventWorld, ValidatesWithoutAScore) {
  EventWorld world = world_of();
  const pipeline::Validation validation = world.validate(pipeline::Split::kValidation);
  EXPECT_EQ(validation.score, std::nullopt);
  EXPECT_EQ(validation.cost, Duration(26));
  EXPECT_EQ(world.measure().name, "score");
}

class EventCheckpoint : public ::testing::Test {
 protected:
  void TearDown() override { std::filesystem::remove(file_); }

  std::string error_with(const std::string& key, const std::string& value) {
    base::TensorFile contents = base::read_safetensors(file_);
    contents.metadata[key] = value;
    base::write_safetensors(file_, contents);
    return base::message_of([&] { world_of().load(file_); });
  }

  std::filesystem::path file_ =
      std::filesystem::path(::testing::TempDir()) /
      (std::string(::testing::UnitTest::GetInstance()->current_test_info()->name()) +
       ".event.safetensors");
};

TEST_F(EventCheckpoint, GoesOnWhereItWasSaved) {
  EventWorld world = world_of();
  const auto plan = plan_with("00");
  world.transition(plan);
  world.run_steps(plan, order_of(3));
  EXPECT_EQ(world.save(file_, "{\"loop\": \"ü\\n\"}"), Duration(0));
  EventWorld resumed = world_of();
  EXPECT_EQ(resumed.load(file_), "{\"loop\": \"ü\\n\"}");
  resumed.transition(plan);
  EXPECT_EQ(resumed.run_steps(plan, order_of(1)).steps[0].number, 4);
}

TEST_F(EventCheckpoint, IsRefusedByAnotherModel) {
  world_of().save(file_, "");
  UnitTable other = UnitTable::of_layers(2);
  other.units[1].elements = 5;
  EXPECT_THAT(
      base::message_of([&] { world_of(other).load(file_); }),
      HasSubstr("is a checkpoint of another model: it has layer.1 of 1 in layers 1 where the "
                "scenario has layer.1 of 5 in layers 1"));
  other.units.pop_back();
  EXPECT_THAT(base::message_of([&] { world_of(other).load(file_); }),
              HasSubstr("where the scenario has no further unit"));
}

TEST_F(EventCheckpoint, IsRefusedWhenItIsNone) {
  world_of().save(file_, "");
  EXPECT_THAT(error_with("world", "torch"),
              HasSubstr("has \"world\" = \"torch\" where a checkpoint of a simulated run has "
                        "\"event\""));
  world_of().save(file_, "");
  EXPECT_THAT(error_with("steps_done", "3x"), HasSubstr("\"steps_done\" = \"3x\""));
  EXPECT_THAT(error_with("steps_done", "-3"), HasSubstr("\"steps_done\" = \"-3\""));
  base::write_safetensors(file_, {});
  EXPECT_THAT(base::message_of([&] { world_of().load(file_); }),
              HasSubstr("is no checkpoint: its metadata lacks \"kind\""));
  std::filesystem::remove(file_);
  EXPECT_THAT(base::message_of([&] { world_of().load(file_); }), HasSubstr(file_.string()));
}

}  // namespace
}  // namespace frostline::sim
