// What goes wrong, and what is said of it.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <limits>
#include <random>
#include <stdexcept>
#include <thread>

#include "pipeline/schedules/registry.h"
#include "tests/base/throws.h"
#include "tests/exec/chain_task.h"
#include "tests/exec/pipeline_run.h"
#include "tests/exec/world_run.h"

namespace frostline::exec {
namespace {

using testing::HasSubstr;

pipeline::UnitTable units_of(const ChainTask& task) {
  return models::unit_table(task.model(), models::UnitKind::kLayer);
}

TEST(Failure, ARankThatThrowsEndsAllAndIsNamed) {
  for (const int failing : {0, 3, 5}) {  // on the ranks 0, 1 and 2
    ChainTask::Options options{.layers = 6};
    options.on_forward = [&](int layer, const models::ForwardContext& where) {
      if (layer == failing && where.step == 1 && where.micro_batch == 2) {
        throw std::runtime_error("the device is gone");
      }
    };
    const ChainTask task(options);
    const auto units = units_of(task);
    TorchWorld world(task, units, small_settings(), 3, kSeed);
    const auto plan = plan_of(units, {3, 1, 4}, {});
    world.transition(plan);
    const auto message = base::message_of([&] { world.run_steps(plan, order_of(3)); });
    EXPECT_EQ(message, "rank " + std::to_string(failing / 2) + ": the device is gone");
    const auto again = base::message_of([&] { world.run_steps(plan, order_of(1)); });
    EXPECT_THAT(again, HasSubstr("cannot go on; resume from a checkpoint: " + message));
  }
}

TEST(Failure, ALossThatIsNotANumberNamesStepAndMicroBatch) {
  const ChainTask task({.target_scale = std::numeric_limits<float>::quiet_NaN()});
  const auto units = units_of(task);
  TorchWorld world(task, units, small_settings(), 2, kSeed);
  const auto plan = plan_of(units, {2, 1, 2}, {});
  world.transition(plan);
  const auto message = base::message_of([&] { world.run_steps(plan, order_of(1)); });
  EXPECT_THAT(message, HasSubstr("rank 1: step 1, micro-batch 0: the loss is nan"));
  EXPECT_THAT(message, HasSubstr("lower train.learning_rate"));
}

TEST(Failure, ABatchThatMicroBatchesDoNotDivideIsRefused) {
  const ChainTask task({.batch = 10});
  const auto units = units_of(task);
  TorchWorld world(task, units, small_settings(), 2, kSeed);
  const auto plan = plan_of(units, {2, 1, 4}, {});
  world.transition(plan);
  EXPECT_THAT(base::message_of([&] { world.run_steps(plan, order_of(1)); }),
              HasSubstr("does not divide"));
}

TEST(Failure, ASplitBackwardIsRefused) {
  const ChainTask task({.layers = 2});
  const auto units = units_of(task);
  TorchWorld world(task, units, small_settings(), 1, kSeed);
  auto plan = plan_of(units, {1, 1, 1}, {});
  pipeline::Schedule split = plan.schedule;
  split.actions[0] = {pipeline::parse_action("0F0"), pipeline::parse_action("0I0"),
                      pipeline::parse_action("0W0")};
  plan.schedule = split;
  EXPECT_EQ(base::message_of([&] { world.transition(plan); }),
            "schedule '1f1b' has 0I0; split backward is not supported yet; use gpipe or 1f1b");
}

TEST(Failure, ACutThatIsNotOursIsRefused) {
  const ChainTask task({});
  const auto units = units_of(task);
  TorchWorld world(task, units, small_settings(), 1, kSeed);
  auto plan = plan_of(units, {1, 1, 1}, {0});
  plan.cut = pipeline::Cut::kNone;
  EXPECT_THAT(base::message_of([&] { world.transition(plan); }), HasSubstr("use \"prefix\""));
}

TEST(Failure, ATiedUnitIsRefused) {
  const ChainTask task({});
  auto units = units_of(task);
  units.units[1].layers = {{1}, {3}};
  TorchWorld world(task, units, small_settings(), 2, kSeed);
  EXPECT_THAT(base::message_of([&] { world.transition(plan_of(units, {2, 1, 2}, {})); }),
              HasSubstr("unit 'dense.1' is tied over 2 layers"));
}

TEST(Failure, APlanForOtherRanksOrWithMovedLayersIsRefused) {
  const ChainTask task({});
  const auto units = units_of(task);
  TorchWorld world(task, units, small_settings(), 2, kSeed);
  EXPECT_THAT(base::message_of([&] { world.transition(plan_of(units, {3, 1, 3}, {})); }),
              HasSubstr("the plan is for 3 ranks, but 2 run"));
  auto plan = plan_of(units, {2, 1, 2}, {});
  world.transition(plan);
  plan.partition = pipeline::Partition({4, 2});
  EXPECT_THAT(base::message_of([&] { world.transition(plan); }),
              HasSubstr("moves layers from 3+3 to 4+2"));
}

/// Random sleeps change times, never results.
TEST(Jitter, ChangesNoBits) {
  const auto run = [](unsigned seed) {
    ChainTask::Options options{.layers = 6, .normalised = 2};
    options.on_forward = [seed](int layer, const models::ForwardContext& where) {
      if (seed == 0) return;
      std::minstd_rand random(seed + 100U * static_cast<unsigned>(layer) +
                              static_cast<unsigned>(where.micro_batch));
      random.discard(3);
      std::this_thread::sleep_for(std::chrono::microseconds(random() % 600));
    };
    const ChainTask task(options);
    const auto units = units_of(task);
    TorchWorld world(task, units, small_settings(), 3, kSeed);
    const auto plan = plan_of(units, {3, 1, 6}, {0});
    world.transition(plan);
    const auto report = world.run_steps(plan, order_of(3));
    return std::pair(weights_of(world), *report.steps.back().loss);
  };
  const auto calm = run(0);
  for (const unsigned seed : {1U, 2U, 3U}) EXPECT_EQ(run(seed), calm);
}

}  // namespace
}  // namespace frostline::exec
