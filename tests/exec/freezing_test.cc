// What freezing must mean inside a step: which graphs are kept, what is sent, which mode layers are
// in.

#include <ATen/TensorOperators.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "pipeline/rewrite.h"
#include "tests/exec/chain_task.h"
#include "tests/exec/pipeline_run.h"

namespace frostline::exec {
namespace {

using testing::IsEmpty;
using testing::Not;

constexpr int kLayers = 8;

struct Chain {
  ChainTask task{{.layers = kLayers, .normalised = 1, .batch = 24}};
  pipeline::UnitTable units = models::unit_table(task.model(), models::UnitKind::kLayer);

  /// What the layers saw in one step.
  std::vector<Sighting> step(const std::vector<int>& frozen, int ranks) {
    BuiltTeam built(task, units, plan_of(units, {ranks, 1, 4}, frozen));
    built.accumulate(0);
    return task.take_sightings();
  }
};

TEST(Freezing, KeepsNoGraphAndEvaluatesBelowTheFrostLine) {
  Chain chain;
  for (const int ranks : {1, 2, 4}) {
    for (const Sighting& seen : chain.step({0, 1, 2}, ranks)) {
      EXPECT_EQ(seen.where.training, seen.layer >= 3) << seen.layer;
      EXPECT_EQ(seen.output_requires_grad, seen.layer >= 3) << seen.layer;
    }
  }
}

TEST(Freezing, AFrozenLayerAboveTheLineTrainsOnButItsStatisticsStandStill) {
  Chain chain;
  for (const Sighting& seen : chain.step({1, 5}, 2)) {
    EXPECT_TRUE(seen.where.training);
    EXPECT_TRUE(seen.output_requires_grad);
    EXPECT_EQ(seen.where.update_statistics, seen.layer != 1 && seen.layer != 5) << seen.layer;
  }
}

TEST(Freezing, RunningStatisticsOfAFrozenUnitStandStillBitwise) {
  Chain chain;
  const auto plan = plan_of(chain.units, {2, 1, 4}, {1});  // the normalised one, above the line
  BuiltTeam built(chain.task, chain.units, plan);
  const NamedTensors before = built.buffers();
  const auto mean = before.at("dense.1.running_mean").clone();
  built.accumulate(0);
  EXPECT_TRUE(same_bits(built.buffers().at("dense.1.running_mean"), mean));
  BuiltTeam trained(chain.task, chain.units, plan_of(chain.units, {2, 1, 4}, {}));
  trained.accumulate(0);
  EXPECT_FALSE(same_bits(trained.buffers().at("dense.1.running_mean"), mean));
}

/// A leaf that asks for its gradient stands at a stage's input exactly if the gradient is sent.
TEST(Freezing, SendsTheInputGradientExactlyIfSomethingBelowTrains) {
  Chain chain;
  const int ranks = 4;
  const int layers_per_stage = kLayers / ranks;
  for (const auto& frozen : std::vector<std::vector<int>>{
           {}, {0}, {0, 1}, {0, 1, 2}, {0, 1, 2, 3}, {0, 1, 2, 3, 4, 5}, {2, 3}, {4, 5, 6, 7}}) {
    const auto mask = mask_of(chain.units, frozen);
    const int line = pipeline::frost_line(chain.units, mask);
    for (const Sighting& seen : chain.step(frozen, ranks)) {
      if (seen.layer == 0 || seen.layer % layers_per_stage != 0) continue;
      EXPECT_EQ(seen.input_requires_grad, line < seen.layer) << seen.layer << " " << mask.text();
    }
  }
}

TEST(Freezing, BothEndsDeriveTheSameListOfTransfers) {
  Chain chain;
  const auto plan = plan_of(chain.units, {4, 1, 3}, {0, 1, 2});
  const auto schedule = pipeline::executable_schedule(plan, chain.units);
  std::map<std::string, int> balance;
  int gradients = 0;
  for (const auto& actions : schedule.actions) {
    for (const auto& action : actions) {
      const auto& step = action.first();
      if (step.kind == pipeline::ActionKind::kSendBackward) {
        ++balance[std::to_string(step.stage.value - 1) + "/" +
                  std::to_string(step.micro_batch->value)];
        ++gradients;
      }
      if (step.kind == pipeline::ActionKind::kReceiveBackward) {
        --balance[std::to_string(step.stage.value) + "/" + std::to_string(step.micro_batch->value)];
      }
    }
  }
  EXPECT_EQ(gradients, 2 * 3);  // 3 -> 2 and 2 -> 1; stage 1 holds the line
  for (const auto& [edge, count] : balance) EXPECT_EQ(count, 0) << edge;
}

TEST(Freezing, OnlyTheFirstAndTheLastLayerSeeTheBatch) {
  Chain chain;
  for (const int ranks : {1, 2, 4}) {
    for (const Sighting& seen : chain.step({}, ranks)) {
      EXPECT_EQ(seen.saw_batch, seen.layer == 0 || seen.layer == kLayers - 1);
    }
  }
}

TEST(Freezing, LeavesGradientsOfFrozenWeightsUndefinedAfterAThawAndAFreeze) {
  Chain chain;
  const auto open = plan_of(chain.units, {2, 1, 4}, {});
  const auto frozen = plan_of(chain.units, {2, 1, 4}, {0, 1, 6});
  BuiltTeam built(chain.task, chain.units, open);
  built.accumulate(0);
  for (const auto& [name, gradient] : built.gradients()) EXPECT_TRUE(gradient.defined()) << name;
  built.schedule = pipeline::executable_schedule(frozen, chain.units);
  built.team.run([&](pipeline::Rank, Worker& worker) { worker.apply(frozen); });
  built.accumulate(1);
  for (const auto& [name, gradient] : built.gradients()) {
    const bool is_frozen = name.starts_with("dense.0.") || name.starts_with("dense.1.") ||
                           name.starts_with("dense.6.");
    EXPECT_EQ(gradient.defined(), !is_frozen) << name;
  }
}

/// Between plans nothing else reaches a pending forward: a mask changes in a transition alone.
TEST(Freezing, EveryRankHasTheSameMask) {
  Chain chain;
  BuiltTeam built(chain.task, chain.units, plan_of(chain.units, {4, 1, 4}, {0, 3, 7}));
  for (const auto& worker : built.team.workers()) {
    for (const Parameter& parameter : worker->stage().parameters()) {
      const int unit = parameter.unit.value;
      EXPECT_EQ(parameter.tensor.requires_grad(), unit != 0 && unit != 3 && unit != 7);
    }
  }
}

TEST(Freezing, KeepsNothingInFlightAfterAStep) {
  Chain chain;
  BuiltTeam built(chain.task, chain.units, plan_of(chain.units, {2, 1, 4}, {0, 1}));
  built.accumulate(0);
  built.accumulate(1);  // begin_step asserts that nothing is left over
  EXPECT_THAT(chain.task.take_sightings(), Not(IsEmpty()));
}

}  // namespace
}  // namespace frostline::exec
