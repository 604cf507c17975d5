#include "app/step_memory.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "app/setup.h"

namespace frostline::app {
namespace {

using base::Bytes;
using pipeline::FreezeMask;

Scenario small_gpt(const std::string& more = "") {
  auto document = base::Document::from_text(
      "[pipeline]\nranks = 2\nmicro_batches = 4\n[cost]\nsource = 'analytic'\n"
      "[model]\nkind = 'gpt'\nblocks = 2\nwidth = 8\nheads = 2\nsequence = 4\n"
      "vocabulary = 32\n[train]\nbatch = 4\n[cluster]\ndevices = 'a100'\n" +
          more,
      "s.toml");
  return read_scenario(std::move(document), Use::kSimulate);
}

Bytes optimizer(const Scenario& scenario, const FreezeMask& mask, const FreezeMask& untrained) {
  Bytes sum;
  for (const auto& rank : StepMemory(scenario, *scenario_cost(scenario), mask, untrained).ranks)
    sum += rank.optimizer;
  return sum;
}

TEST(StepMemory, HoldsTheStateOfWhatHasTrainedAndIsKept) {
  const auto kept = small_gpt();
  const auto released = small_gpt("[freeze]\noptimizer_state = 'release'\n");
  const FreezeMask none(kept.units.size());
  auto first = none;
  first.freeze({0});
  const Bytes all{8 * kept.units.elements()};
  const Bytes others = all - Bytes{8 * kept.units.units[0].elements};
  EXPECT_EQ(optimizer(kept, none, none), all);
  EXPECT_EQ(optimizer(kept, first, none), all);
  EXPECT_EQ(optimizer(kept, first, first), others);
  EXPECT_EQ(optimizer(released, none, none), all);
  EXPECT_EQ(optimizer(released, first, none), others);
}

/// The peak of rank 0 is reached by its second forward, that of rank 1 by its first.
TEST(StepMemory, TellsWhenThePeakIsReached) {
  const auto scenario = small_gpt();
  const FreezeMask none(scenario.units.size());
  const StepMemory memory(scenario, *scenario_cost(scenario), none, none);
  pipeline::Timeline timeline{2, {}};
  int time = 0;
  for (const auto rank : base::ids<pipeline::Rank>(2))
    for (const auto& action : memory.schedule.actions[rank.index()])
      if (pipeline::is_computation(action)) {
        timeline.spans.push_back({rank, action, base::Duration(time), base::Duration(time + 10)});
        time += 10;
      }
  EXPECT_THAT(memory.peak_times(timeline),
              testing::ElementsAre(base::Duration(10), base::Duration(80)));
}

TEST(StepMemory, OfRecomputationIsLess) {
  const auto kept = small_gpt();
  auto document = base::Document::from_text(kept.to_toml(), "s.toml");
  document.set("pipeline.recompute=full");
  const auto recomputing = read_scenario(std::move(document), Use::kSimulate);
  const FreezeMask none(kept.units.size());
  const StepMemory whole(kept, *scenario_cost(kept), none, none);
  const StepMemory less(recomputing, *scenario_cost(recomputing), none, none);
  EXPECT_LT(less.ranks[0].peak(), whole.ranks[0].peak());
  EXPECT_EQ(less.ranks[0].weights, whole.ranks[0].weights);
}

std::string refusal(const std::string& assignment, Use use) {
  auto document = base::Document::from_text(small_gpt().to_toml(), "s.toml");
  document.set(assignment);
  try {
    read_scenario(std::move(document), use);
  } catch (const base::InvalidInput& error) {
    return error.what();
  }
  return "";
}

TEST(StepMemory, WhatTheExecutorDoesNotDoIsRefusedForTraining) {
  for (const auto* assignment : {"pipeline.recompute=full", "freeze.optimizer_state=release"}) {
    EXPECT_EQ(refusal(assignment, Use::kSimulate), "");
    EXPECT_THAT(refusal(assignment, Use::kTrain),
                testing::HasSubstr("can be simulated but not trained yet"));
  }
}

TEST(StepMemory, OfADeviceIsTheLeastOfItsReplicas) {
  auto scenario = small_gpt();
  scenario.pipeline.replicas = 2;
  scenario.cluster.devices = {"a100", "a100", "v100", "a100"};
  EXPECT_EQ(tightest_device(scenario, {0}), 2);
  EXPECT_EQ(tightest_device(scenario, {1}), 1);
}

}  // namespace
}  // namespace frostline::app
