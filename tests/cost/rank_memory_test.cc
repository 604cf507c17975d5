#include "cost/rank_memory.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/cost/plans.h"

namespace frostline::cost {
namespace {

using base::Bytes;
using pipeline::FreezeMask;
using pipeline::FreezePlan;
using pipeline::Partition;
using pipeline::Plan;
using pipeline::UnitTable;
using testing::ElementsAre;

/// A number of a weight takes 2 bytes, of a gradient 4, of the optimizer 8.
MemoryFigures figures(const FreezeMask& without_state) { return {2, 4, 8, without_state}; }

std::vector<RankMemory> memory_of(const ModelCost& cost, const UnitTable& units, const Plan& plan,
                                  const FreezeMask& without_state) {
  return rank_memory(plan, executable_schedule(plan, units), PlanTimes(cost, units, plan), units,
                     figures(without_state));
}

/// A stage is a layer that holds 100 bytes a micro-batch, 40 of them between I and W.
std::vector<RankMemory> memory_of(const std::string& schedule, int ranks, int micro_batches,
                                  const FreezeMask& mask) {
  const auto plan = make_plan(schedule, {ranks, 1, micro_batches}, Partition::even(ranks, ranks),
                              FreezePlan(mask));
  return memory_of(equal_layers(ranks, layer_cost(1, 1, 1)), UnitTable::of_layers(ranks), plan,
                   mask);
}

std::vector<std::int64_t> peak_activations(const std::vector<RankMemory>& memory) {
  std::vector<std::int64_t> peaks;
  for (const RankMemory& rank : memory) peaks.push_back(rank.peak_activations.count);
  return peaks;
}

const std::pair<int, int> kSizes[] = {{1, 1}, {1, 5}, {2, 1}, {4, 8}, {4, 2}, {8, 24}, {5, 7}};

TEST(RankMemory, OfOneFOneBPeaksWithTheMicroBatchesUnderWay) {
  for (const auto& [p, m] : kSizes) {
    std::vector<std::int64_t> expected;
    for (int r = 0; r < p; ++r) expected.push_back(100L * std::min(p - r, m));
    EXPECT_EQ(peak_activations(memory_of("1f1b", p, m, FreezeMask(p))), expected)
        << p << " ranks, " << m << " micro-batches";
  }
}

TEST(RankMemory, OfGPipePeaksWithAllMicroBatches) {
  for (const auto& [p, m] : kSizes) {
    const std::vector<std::int64_t> expected(static_cast<std::size_t>(p), 100L * m);
    EXPECT_EQ(peak_activations(memory_of("gpipe", p, m, FreezeMask(p))), expected);
  }
}

TEST(RankMemory, OfAFrozenPrefixHoldsNoActivations) {
  const auto memory = memory_of("1f1b", 4, 8, FreezeMask::from_text("1100"));
  EXPECT_THAT(peak_activations(memory), ElementsAre(0, 0, 200, 100));
  EXPECT_EQ(memory[0].peak_position, 0U);  // its first computation is as high as any
}

/// Rank 0's list is 0F0 send, 0F1 send, receive 0B0, ...: the second forward reaches the peak.
TEST(RankMemory, SaysWhichComputationFirstReachesThePeak) {
  const auto memory = memory_of("1f1b", 2, 3, FreezeMask(2));
  EXPECT_EQ(memory[0].peak_position, 2U);
  EXPECT_EQ(memory[1].peak_position, 1U);  // after the receive of its first input
}

TEST(RankMemory, IsVisitedComputationByComputation) {
  const auto plan = make_plan("zb_h1", {1, 1, 2}, Partition::even(1, 1), FreezePlan(FreezeMask(1)));
  const UnitTable units = UnitTable::of_layers(1);
  const PlanTimes times(equal_layers(1, layer_cost(1, 1, 1)), units, plan);
  const auto schedule = executable_schedule(plan, units);
  std::vector<std::pair<std::string, std::pair<std::int64_t, std::int64_t>>> seen;
  visit_held(schedule.actions[0], times, [&](std::size_t position, const HeldActivations& held) {
    seen.push_back({to_text(schedule.actions[0][position]), {held.during.count, held.after.count}});
  });
  ASSERT_EQ(seen.size(), 6U);
  for (const auto& [action, held] : seen) {
    const char kind = action[1];
    const std::int64_t expected = kind == 'F' ? 0 : kind == 'I' ? 60 : 40;
    EXPECT_EQ(held.first - held.second, expected) << action;
  }
  EXPECT_EQ(seen.back().second.second, 0);
}

/// An overlapped pair holds what its forward makes beside what its backward uses up.
TEST(RankMemory, CountsBothOfAnOverlappedPair) {
  using pipeline::Action;
  using pipeline::ActionKind;
  using pipeline::MicroBatch;
  const auto plan = make_plan("gpipe", {1, 1, 2}, Partition::even(1, 1), FreezePlan(FreezeMask(1)));
  const PlanTimes times(equal_layers(1, layer_cost(1, 1, 1)), UnitTable::of_layers(1), plan);
  std::vector<std::int64_t> during;
  visit_held({Action(ActionKind::kForward, {0}, {0}),
              Action::overlap({ActionKind::kForward, {0}, MicroBatch{1}},
                              {ActionKind::kBackward, {0}, MicroBatch{0}}),
              Action(ActionKind::kBackward, {0}, {1})},
             times,
             [&](std::size_t, const HeldActivations& h) { during.push_back(h.during.count); });
  EXPECT_THAT(during, ElementsAre(100, 200, 100));
}

/// Units of 10 and 7 numbers, a layer a rank.
struct Toy {
  ModelCost cost = equal_layers(2, layer_cost(1, 1, 1));
  UnitTable units = UnitTable::of_layers(2);

  Toy() {
    units.units[0].elements = 10;
    units.units[1].elements = 7;
    cost.layers[0].output = {16};
  }
  std::vector<RankMemory> memory(const FreezePlan& freeze, const FreezeMask& without_state) const {
    return memory_of(cost, units, make_plan("1f1b", {2, 1, 2}, Partition({1, 1}), freeze),
                     without_state);
  }
};

TEST(RankMemory, HoldsWeightsGradientsAndOptimizer) {
  const auto memory = Toy().memory(FreezePlan(FreezeMask(2)), FreezeMask(2));
  EXPECT_EQ(memory[0].weights, Bytes{20});
  EXPECT_EQ(memory[0].gradients, Bytes{40});
  EXPECT_EQ(memory[0].optimizer, Bytes{80});
  EXPECT_EQ(memory[1].weights, Bytes{14});
  EXPECT_EQ(memory[1].gradients, Bytes{28});
  EXPECT_EQ(memory[1].optimizer, Bytes{56});
  EXPECT_EQ(memory[0].buffers, Bytes{32});  // an output to send, its gradient to receive
  EXPECT_EQ(memory[1].buffers, Bytes{32});
  EXPECT_EQ(memory[0].caches, Bytes{0});
  EXPECT_EQ(memory[0].peak(), Bytes{20 + 40 + 80 + 32 + 200});
  EXPECT_EQ(memory[1].peak(), Bytes{14 + 28 + 56 + 32 + 100});
}

TEST(RankMemory, OfFrozenUnitsHasNoGradientAndKeepsOrReleasesState) {
  const FreezeMask frozen = FreezeMask::from_text("10");
  const auto kept = Toy().memory(FreezePlan(frozen), FreezeMask(2));
  const auto released = Toy().memory(FreezePlan(frozen), frozen);
  EXPECT_EQ(kept[0].weights, Bytes{20});
  EXPECT_EQ(kept[0].gradients, Bytes{0});
  EXPECT_EQ(kept[0].optimizer, Bytes{80});
  EXPECT_EQ(released[0].optimizer, Bytes{0});
  EXPECT_EQ(released[1].optimizer, Bytes{56});
  EXPECT_EQ(kept[0].buffers, Bytes{16});  // no gradient comes back
}

TEST(RankMemory, HasGradientsOfWhatTrainsInAnyMicroBatch) {
  const FreezePlan freeze({FreezeMask::from_text("10"), FreezeMask::from_text("00")});
  const auto memory = Toy().memory(freeze, FreezeMask(2));
  EXPECT_EQ(memory[0].gradients, Bytes{40});
  EXPECT_EQ(memory[0].peak_activations, Bytes{100});
}

TEST(RankMemory, HoldsATiedUnitOnceOnEachOfItsRanks) {
  UnitTable units = UnitTable::of_layers(4);
  units.units = {{"tied", {{0}, {1}, {3}}, {"a", "b", "c"}, 5}, {"own", {{2}}, {"d"}, 1}};
  const auto plan = make_plan("1f1b", {2, 1, 2}, Partition({2, 2}), FreezePlan(FreezeMask(2)));
  const auto memory = memory_of(equal_layers(4, layer_cost(1, 1, 1)), units, plan, FreezeMask(2));
  EXPECT_EQ(memory[0].weights, Bytes{10});
  EXPECT_EQ(memory[1].weights, Bytes{12});
}

/// Looped over two ranks, outputs and gradients of 10, 20 and 30 bytes go either way: a direction's
/// buffer is that of the largest.
TEST(RankMemory, HasOneBufferForEachDirectionOfALink) {
  ModelCost cost = equal_layers(4, layer_cost(1, 1, 1));
  cost.layers[0].output = {10};
  cost.layers[1].output = {20};
  cost.layers[2].output = {30};
  const auto plan =
      make_plan("interleaved_1f1b", {2, 2, 2}, Partition({1, 1, 1, 1}), FreezePlan(FreezeMask(4)));
  const auto memory = memory_of(cost, UnitTable::of_layers(4), plan, FreezeMask(4));
  EXPECT_EQ(memory[0].buffers, Bytes{30 + 30});
  EXPECT_EQ(memory[1].buffers, Bytes{30 + 30});
}

/// With F = 2, I = 3, W = 1, stages that hand on 7 bytes and hold 100 a micro-batch.
ModelCost recomputing(int layers) {
  ModelCost cost = equal_layers(layers, layer_cost(2, 3, 1));
  for (LayerCost& layer : cost.layers) layer.output = {7};
  cost.recompute = true;
  return cost;
}

/// The inputs of those under way, and one whole activation while its backward runs; rank 0 reads
/// its input from the batch.
TEST(RankMemory, OfRecomputationPeaksWithInputsAndOneActivation) {
  for (const auto& [p, m] : kSizes) {
    const auto plan =
        make_plan("1f1b", {p, 1, m}, Partition::even(p, p), FreezePlan(FreezeMask(p)));
    const auto memory = memory_of(recomputing(p), UnitTable::of_layers(p), plan, FreezeMask(p));
    std::vector<std::int64_t> expected;
    for (int r = 0; r < p; ++r) expected.push_back(100 + (r == 0 ? 0 : 7L * std::min(p - r, m)));
    EXPECT_EQ(peak_activations(memory), expected) << p << " ranks, " << m << " micro-batches";
  }
}

TEST(RankMemory, OfRecomputationHoldsAllOfTheActivationInTheBackwardAlone) {
  const auto plan = make_plan("zb_h1", {2, 1, 2}, Partition::even(2, 2), FreezePlan(FreezeMask(2)));
  const UnitTable units = UnitTable::of_layers(2);
  const PlanTimes times(recomputing(2), units, plan);
  const auto schedule = executable_schedule(plan, units);
  std::int64_t before = 0;
  visit_held(schedule.actions[1], times, [&](std::size_t position, const HeldActivations& held) {
    const auto kind = schedule.actions[1][position].kind();
    if (kind == pipeline::ActionKind::kForward) {
      EXPECT_EQ(held.during.count - before, 7);
    } else if (kind == pipeline::ActionKind::kInputGradient) {
      EXPECT_EQ(held.during.count - before, 100);
      EXPECT_EQ(held.after.count - before, 40 - 7);
    } else {
      EXPECT_EQ(before - held.after.count, 40);
    }
    before = held.after.count;
  });
  EXPECT_EQ(before, 0);
}

}  // namespace
}  // namespace frostline::cost
