#include "sim/step_simulation.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "cost/balance.h"
#include "tests/cost/plans.h"

namespace frostline::sim {
namespace {

using base::Bytes;
using base::Duration;
using pipeline::FreezeMask;
using pipeline::FreezePlan;
using pipeline::Partition;
using pipeline::PipelineShape;
using pipeline::UnitTable;
using ::testing::ElementsAre;

SimulatedStep simulate(const cost::ModelCost& cost, const pipeline::Plan& plan) {
  const UnitTable units = UnitTable::of_layers(plan.partition.layers());
  StepConditions conditions;
  conditions.records_spans = true;
  return simulate_step(executable_schedule(plan, units), cost::PlanTimes(cost, units, plan),
                       conditions);
}

/// A stage is a layer; 100 bytes a micro-batch.
SimulatedStep simulate(const std::string& schedule, int ranks, int micro_batches) {
  return simulate(cost::equal_layers(ranks, cost::layer_cost(2, 3, 1)),
                  cost::make_plan(schedule, {ranks, 1, micro_batches},
                                  Partition::even(ranks, ranks), FreezePlan(FreezeMask(ranks))));
}

const std::pair<int, int> kSizes[] = {{1, 1}, {1, 5}, {2, 1}, {4, 8}, {4, 2}, {8, 24}, {5, 7}};

/// GPipe holds all of a step's micro-batches: m M on every rank.
TEST(PeakActivations, OfGPipeAreAllMicroBatches) {
  for (const auto& [p, m] : kSizes) {
    EXPECT_EQ(simulate("gpipe", p, m).peak_activations,
              std::vector<double>(static_cast<std::size_t>(p), m))
        << p << " ranks, " << m << " micro-batches";
  }
}

/// 1F1B holds as many as are on their way to the last rank and back: min(m, p - i) M on rank i.
TEST(PeakActivations, OfOneFOneBAreThoseUnderWay) {
  for (const auto& [p, m] : kSizes) {
    std::vector<double> expected;
    for (int i = 0; i < p; ++i) expected.push_back(std::min(m, p - i));
    EXPECT_EQ(simulate("1f1b", p, m).peak_activations, expected)
        << p << " ranks, " << m << " micro-batches";
  }
}

/// Both lie (p - 1)(F + I + W) above a rank's work without delays: the bubble of either.
TEST(StepTime, HasTheBubbleOfTheClosedForm) {
  for (const auto& [p, m] : kSizes) {
    EXPECT_EQ(simulate("gpipe", p, m).time(), Duration((m + p - 1) * 6));
    EXPECT_EQ(simulate("1f1b", p, m).time(), Duration((m + p - 1) * 6));
  }
}

/// With a delay c, p dividing m: 1F1B grows by c (2 (p - 1) m / p + 2 (p - 2)).
TEST(StepTime, GrowsWithDelayAsInTheClosedForm) {
  cost::ModelCost cost = cost::equal_layers(4, cost::layer_cost(20, 30, 10));
  cost.send_ns = 1;
  const auto plan =
      cost::make_plan("1f1b", {4, 1, 12}, Partition::even(4, 4), FreezePlan(FreezeMask(4)));
  EXPECT_EQ(simulate(cost, plan).time(), Duration(15 * 60 + 2 * 3 * 12 / 4 + 2 * 2));
}

/// Two of four layers lie below the frost line and hold nothing: rank 0's peak is 0, and rank 1's
/// is of its full 100 bytes.
TEST(PeakActivations, AreAgainstWhatTheRankHoldsUnfrozen) {
  const auto plan = cost::make_plan("1f1b", {2, 1, 4}, Partition({2, 2}),
                                    FreezePlan(FreezeMask::from_text("1110")));
  const SimulatedStep step = simulate(cost::equal_layers(4, cost::layer_cost(1, 1, 1)), plan);
  EXPECT_THAT(step.peak_activation, ElementsAre(Bytes{0}, Bytes{100}));
  EXPECT_THAT(step.peak_activations, ElementsAre(0.0, 0.5));
}

/// Two ranks, 8 micro-batches, 8 equal blocks with F = I = W, half of them frozen: 108 block-times
/// become 100 with the stages as they were and 79 with the best split.
TEST(StepTime, OfAFrozenPrefixFallsFurtherWithTheBestSplit) {
  const cost::ModelCost cost = cost::equal_layers(8, cost::layer_cost(1, 1, 1));
  const UnitTable units = UnitTable::of_layers(8);
  const FreezeMask half = freeze_leading_layers(units, 4);
  const auto time = [&](const Partition& partition, const FreezeMask& mask) {
    return simulate(cost, cost::make_plan("1f1b", {2, 1, 8}, partition, FreezePlan(mask))).time();
  };
  EXPECT_EQ(time(Partition({4, 4}), FreezeMask(8)), Duration(108));
  EXPECT_EQ(time(Partition({4, 4}), half), Duration(100));
  EXPECT_EQ(time(balanced_partition(cost, units, half, 2), half), Duration(79));
}

TEST(StepTime, EndsWithTheOptimizer) {
  cost::ModelCost cost = cost::equal_layers(2, cost::layer_cost(1, 1, 1));
  cost.step_ns = 10;
  cost.layers[1].optimizer_ns = 7;
  const auto plan =
      cost::make_plan("gpipe", {2, 1, 1}, Partition({1, 1}), FreezePlan(FreezeMask(2)));
  const SimulatedStep step = simulate(cost, plan);
  EXPECT_EQ(step.step_end, Duration(17));
  EXPECT_EQ(step.time(), Duration(6 + 17));
}

TEST(SimulateStep, GivesTheSameBytesTwice) {
  const SimulatedStep first = simulate("1f1b", 8, 24);
  const SimulatedStep second = simulate("1f1b", 8, 24);
  EXPECT_EQ(first.timeline.text(Duration(1)), second.timeline.text(Duration(1)));
  EXPECT_EQ(first.timeline.spans, second.timeline.spans);
  EXPECT_EQ(first.peak_activation, second.peak_activation);
}

/// Where nothing holds anything a peak is 0 micro-batches, not 0/0.
TEST(PeakActivations, OfAModelWithoutActivationsAreZero) {
  cost::LayerCost layer = cost::layer_cost(1, 1, 1);
  layer.activation = layer.activation_after_input_gradient = Bytes{0};
  const auto plan = cost::make_plan("gpipe", {1, 1, 2}, Partition({1}), FreezePlan(FreezeMask(1)));
  EXPECT_THAT(simulate(cost::equal_layers(1, layer), plan).peak_activations, ElementsAre(0.0));
}

}  // namespace
}  // namespace frostline::sim
