#include "cost/plan_times.h"

#include <gtest/gtest.h>

#include "cost/topology.h"
#include "pipeline/units.h"
#include "tests/cost/plans.h"

namespace frostline::cost {
namespace {

using base::Duration;
using pipeline::Action;
using pipeline::ActionKind;
using pipeline::Cut;
using pipeline::FreezeMask;
using pipeline::FreezePlan;
using pipeline::MicroBatch;
using pipeline::Partition;
using pipeline::StageId;
using pipeline::UnitTable;

Duration ns(std::int64_t count) { return Duration(count); }

Duration time_of(const PlanTimes& times, ActionKind kind, int stage, int micro_batch = 0) {
  return times.computation(Action(kind, {stage}, {micro_batch}));
}

/// Layer i costs F = 10 + i, I = 20 + i, W = 40 + 4i, below the frost line F = 5, frozen I = 15 +
/// i.
ModelCost distinct_layers(int layers) {
  ModelCost cost;
  for (int i = 0; i < layers; ++i) {
    LayerCost layer = layer_cost(10 + i, 20 + i, 40 + 4 * i);
    layer.forward_below_ns = 5;
    layer.frozen_backward_ns = 15 + i;
    layer.optimizer_ns = 100;
    cost.layers.push_back(layer);
  }
  return cost;
}

/// Four layers on two stages, 1F1B with two micro-batches.
pipeline::Plan two_stages(FreezePlan freeze, Cut cut = Cut::kPrefix) {
  return make_plan("1f1b", {2, 1, 2}, Partition({2, 2}), std::move(freeze), cut);
}

PlanTimes times_of(const ModelCost& cost, const pipeline::Plan& plan) {
  return PlanTimes(cost, UnitTable::of_layers(4), plan);
}

TEST(PlanTimes, AddTheLayersWithNothingFrozen) {
  const PlanTimes times = times_of(distinct_layers(4), two_stages(FreezePlan(FreezeMask(4))));
  EXPECT_EQ(time_of(times, ActionKind::kForward, 0), ns(10 + 11));
  EXPECT_EQ(time_of(times, ActionKind::kInputGradient, 0), ns(20 + 21));
  EXPECT_EQ(time_of(times, ActionKind::kWeightGradient, 0), ns(40 + 44));
  EXPECT_EQ(time_of(times, ActionKind::kBackward, 0), ns(41 + 84));
  EXPECT_EQ(time_of(times, ActionKind::kForward, 1), ns(12 + 13));
  EXPECT_EQ(time_of(times, ActionKind::kBackward, 1), ns(22 + 23 + 48 + 52));
}

/// The line lies between the layers of stage 0: of its backward only layer 1's is left, whole.
TEST(PlanTimes, OfTheStageWithTheFrostLineGoBackwardToItsFirstTrainableLayer) {
  const FreezeMask mask = freeze_leading_layers(UnitTable::of_layers(4), 1);
  const PlanTimes times = times_of(distinct_layers(4), two_stages(FreezePlan(mask)));
  EXPECT_EQ(time_of(times, ActionKind::kForward, 0), ns(5 + 11));
  EXPECT_EQ(time_of(times, ActionKind::kInputGradient, 0), ns(21));
  EXPECT_EQ(time_of(times, ActionKind::kWeightGradient, 0), ns(44));
  EXPECT_EQ(times.activation({0}, {0}), base::Bytes{100});
  EXPECT_EQ(times.activation_after_input_gradient({0}, {0}), base::Bytes{40});
}

TEST(PlanTimes, BelowTheFrostLineAreForwardsAndHoldNothing) {
  const FreezeMask mask = freeze_leading_layers(UnitTable::of_layers(4), 2);
  const PlanTimes times = times_of(distinct_layers(4), two_stages(FreezePlan(mask)));
  EXPECT_EQ(time_of(times, ActionKind::kForward, 0), ns(5 + 5));
  EXPECT_EQ(times.activation({0}, {0}), base::Bytes{0});
  EXPECT_EQ(times.full_activation({0}), base::Bytes{200});
  EXPECT_EQ(times.activation({1}, {0}), base::Bytes{200});
}

/// Stage 1 is frozen, stage 0 trains: stage 1's backward is the layers' frozen one, and with no W
/// to come nothing is kept for it.
TEST(PlanTimes, OfAFrozenStageAboveTheLineCostItsFrozenBackward) {
  const PlanTimes times =
      times_of(distinct_layers(4), two_stages(FreezePlan(FreezeMask::from_text("0011"))));
  EXPECT_EQ(time_of(times, ActionKind::kForward, 1), ns(12 + 13));
  EXPECT_EQ(time_of(times, ActionKind::kInputGradient, 1), ns(17 + 18));
  EXPECT_EQ(times.activation({1}, {0}), base::Bytes{200});
  EXPECT_EQ(times.activation_after_input_gradient({1}, {0}), base::Bytes{0});
}

/// One of two layers trains above the line: I of both, W of one, and o = 1/4 of both W = 48 + 52.
TEST(PlanTimes, OfAPartlyFrozenStagePayTheOverhead) {
  ModelCost cost = distinct_layers(4);
  cost.partial_freeze_overhead = 0.25;
  const PlanTimes times = times_of(cost, two_stages(FreezePlan(FreezeMask::from_text("0010"))));
  EXPECT_EQ(time_of(times, ActionKind::kInputGradient, 1), ns(22 + 23));
  EXPECT_EQ(time_of(times, ActionKind::kWeightGradient, 1), ns(52 + 25));
  EXPECT_EQ(time_of(times, ActionKind::kWeightGradient, 0), ns(40 + 44));  // nothing frozen: none
}

/// Two tensors of a layer, 3 and 1 numbers, W = 40: freezing the larger leaves 10.
TEST(PlanTimes, DivideALayersWeightGradientByElements) {
  UnitTable units = UnitTable::of_layers(2);
  units.units = {{"a", {{0}}, {"a"}, 3}, {"b", {{0}}, {"b"}, 1}, {"c", {{1}}, {"c"}, 7}};
  const auto plan =
      make_plan("gpipe", {1, 1, 1}, Partition({2}), FreezePlan(FreezeMask::from_text("100")));
  const PlanTimes times(distinct_layers(2), units, plan);
  EXPECT_EQ(time_of(times, ActionKind::kWeightGradient, 0), ns(10 + 44));
  EXPECT_EQ(time_of(times, ActionKind::kInputGradient, 0), ns(20 + 21));  // the chain is whole
}

/// The frozen tensor is tied: half of its 8 numbers lie in layer 1, beside 4 of the layer's own.
TEST(PlanTimes, DivideATiedUnitEvenlyAmongItsLayers) {
  UnitTable units = UnitTable::of_layers(2);
  units.units = {{"tied", {{0}, {1}}, {"x", "y"}, 8}, {"own", {{1}}, {"z"}, 4}};
  const auto plan =
      make_plan("gpipe", {1, 1, 1}, Partition({2}), FreezePlan(FreezeMask::from_text("10")));
  const PlanTimes times(distinct_layers(2), units, plan);
  EXPECT_EQ(time_of(times, ActionKind::kWeightGradient, 0), ns(22));  // 44 / 2
}

/// I = W = 1.3: B is 2.6, which rounds to 3, though I and W round to 1 each.
TEST(PlanTimes, RoundEachActionOnce) {
  const ModelCost cost = equal_layers(2, layer_cost(0.4, 0.65, 0.65));
  const auto plan = make_plan("gpipe", {1, 1, 1}, Partition({2}), FreezePlan(FreezeMask(2)));
  const PlanTimes times(cost, UnitTable::of_layers(2), plan);
  EXPECT_EQ(time_of(times, ActionKind::kForward, 0), ns(1));  // 0.8, where 2 * round(0.4) is 0
  EXPECT_EQ(time_of(times, ActionKind::kInputGradient, 0), ns(1));
  EXPECT_EQ(time_of(times, ActionKind::kWeightGradient, 0), ns(1));
  EXPECT_EQ(time_of(times, ActionKind::kBackward, 0), ns(3));
}

TEST(PlanTimes, DifferByMicroBatchWhereTheMasksDo) {
  const FreezePlan freeze({FreezeMask::from_text("1100"), FreezeMask::from_text("0000")});
  const PlanTimes times = times_of(distinct_layers(4), two_stages(freeze));
  EXPECT_EQ(time_of(times, ActionKind::kForward, 0, 0), ns(10));
  EXPECT_EQ(time_of(times, ActionKind::kForward, 0, 1), ns(21));
  EXPECT_EQ(times.activation({0}, {0}), base::Bytes{0});
  EXPECT_EQ(times.activation({0}, {1}), base::Bytes{200});
}

/// With cut "none" a frozen prefix still goes backward, and its layers keep their graph.
TEST(PlanTimes, OfAFrozenPrefixThatIsNotCutStayAnInputGradient) {
  const FreezeMask mask = FreezeMask::from_text("1110");
  const PlanTimes times = times_of(distinct_layers(4), two_stages(FreezePlan(mask), Cut::kNone));
  EXPECT_EQ(time_of(times, ActionKind::kForward, 0), ns(21));
  EXPECT_EQ(time_of(times, ActionKind::kInputGradient, 0), ns(15 + 16));
  EXPECT_EQ(time_of(times, ActionKind::kInputGradient, 1), ns(22 + 23));
  EXPECT_EQ(time_of(times, ActionKind::kWeightGradient, 1), ns(52));
}

TEST(PlanTimes, OfAnOverlappedPairAreTheSum) {
  const PlanTimes times = times_of(distinct_layers(4), two_stages(FreezePlan(FreezeMask(4))));
  const Action pair = Action::overlap({ActionKind::kForward, {0}, MicroBatch{1}},
                                      {ActionKind::kBackward, {0}, MicroBatch{0}});
  EXPECT_EQ(times.computation(pair), ns(21 + 125));
}

/// A layer of 10 + 20 + 30 saves 15 of its 60: each half of a pair takes three quarters.
TEST(PlanTimes, OfAnOverlappedPairAreThePartsThatTheSavingLeaves) {
  LayerCost layer = layer_cost(10, 20, 30);
  layer.overlap_saving_ns = 15;
  ModelCost cost = equal_layers(4, layer);
  cost.layers[2].overlap_saving_ns = cost.layers[3].overlap_saving_ns = 0;
  const auto pair = [](int forward, int backward, ActionKind kind) {
    return Action::overlap({ActionKind::kForward, {forward}, MicroBatch{1}},
                           {kind, {backward}, MicroBatch{0}});
  };
  const PlanTimes whole = times_of(cost, two_stages(FreezePlan(FreezeMask(4))));
  EXPECT_EQ(whole.computation(pair(0, 0, ActionKind::kBackward)), ns(90));
  EXPECT_EQ(whole.computation(pair(0, 1, ActionKind::kBackward)), ns(15 + 100));
  EXPECT_EQ(time_of(whole, ActionKind::kBackward, 0), ns(100));  // alone
  const auto mask = FreezeMask::from_text("1110");
  const PlanTimes frozen = times_of(cost, two_stages(FreezePlan(mask), Cut::kNone));
  EXPECT_EQ(frozen.computation(pair(0, 0, ActionKind::kInputGradient)), ns(15 + 30));
}

/// 7.3 and 7.3 are 15 together: the pair is one action, and rounded once.
TEST(PlanTimes, OfAnOverlappedPairAreRoundedOnce) {
  const ModelCost cost = equal_layers(4, layer_cost(3.65, 1.65, 2));
  const PlanTimes times = times_of(cost, two_stages(FreezePlan(FreezeMask(4))));
  const Action pair = Action::overlap({ActionKind::kForward, {0}, MicroBatch{1}},
                                      {ActionKind::kBackward, {0}, MicroBatch{0}});
  EXPECT_EQ(time_of(times, ActionKind::kForward, 0), ns(7));
  EXPECT_EQ(time_of(times, ActionKind::kBackward, 0), ns(7));
  EXPECT_EQ(times.computation(pair), ns(15));
}

TEST(PlanTimes, DelaySendsByTheRoundedDelay) {
  ModelCost cost = distinct_layers(4);
  cost.send_ns = 7.5;
  const PlanTimes times = times_of(cost, two_stages(FreezePlan(FreezeMask(4))));
  EXPECT_EQ(times.delay({ActionKind::kSendForward, {0}, MicroBatch{0}}), ns(8));
}

/// Rank 0 optimizes half of what rank 1 does. A unit frozen in one micro-batch only is stepped.
TEST(PlanTimes, EndTheStepWithTheSlowestRanksOptimizer) {
  ModelCost cost = distinct_layers(4);
  cost.step_ns = 7.25;
  cost.layers[3].optimizer_ns = 0.25;
  const auto end = [&](const FreezePlan& freeze) {
    return times_of(cost, two_stages(freeze)).step_end();
  };
  EXPECT_EQ(end(FreezePlan(FreezeMask(4))), ns(207));
  EXPECT_EQ(end(FreezePlan(FreezeMask::from_text("1100"))), ns(108));  // 7.25 + 100.25 = 107.5
  EXPECT_EQ(end(FreezePlan(FreezeMask::from_text("1111"))), ns(7));
  EXPECT_EQ(end(FreezePlan({FreezeMask::from_text("1100"), FreezeMask::from_text("0000")})),
            ns(207));
}

/// Published arithmetic of a frozen prefix: two ranks, 8 micro-batches, 8 equal blocks with
/// F = I = W, 1F1B. In block-times: 108 with nothing frozen, 100 with half of the blocks frozen, 79
/// with them and the best split.
TEST(PredictStep, GivesTheKnownTimesOfAFrozenPrefix) {
  const ModelCost cost = equal_layers(8, layer_cost(10, 10, 10));
  const UnitTable units = UnitTable::of_layers(8);
  const FreezePlan half(freeze_leading_layers(units, 4));
  const pipeline::PipelineShape shape{2, 1, 8};
  const auto predict = [&](Partition partition, const FreezePlan& freeze) {
    return predict_step(cost, units, make_plan("1f1b", shape, std::move(partition), freeze));
  };
  EXPECT_EQ(predict(Partition({4, 4}), FreezePlan(FreezeMask(8))), ns(1080));
  EXPECT_EQ(predict(Partition({4, 4}), half), ns(1000));
  EXPECT_EQ(predict(Partition({5, 3}), half), ns(790));
}

TEST(PredictStep, AddsTheEndOfTheStep) {
  ModelCost cost = equal_layers(1, layer_cost(10, 20, 30));
  cost.step_ns = 5;
  cost.layers[0].optimizer_ns = 4;
  const auto plan = make_plan("gpipe", {1, 1, 2}, Partition({1}), FreezePlan(FreezeMask(1)));
  EXPECT_EQ(predict_step(cost, UnitTable::of_layers(1), plan), ns(2 * 60 + 9));
}

TEST(PlanTimes, SlowRanksTakeLonger) {
  ModelCost cost = distinct_layers(4);
  cost.rank_speed = {1, 0.4};
  const PlanTimes times = times_of(cost, two_stages(FreezePlan(FreezeMask(4))));
  EXPECT_EQ(time_of(times, ActionKind::kForward, 0), ns(21));
  EXPECT_EQ(time_of(times, ActionKind::kForward, 1), ns(63));  // 25 / 0.4 = 62.5
  EXPECT_EQ(time_of(times, ActionKind::kInputGradient, 1), ns(113));
  EXPECT_EQ(time_of(times, ActionKind::kWeightGradient, 1), ns(250));
  EXPECT_EQ(times.step_end(), ns(500));  // two layers' optimizer
}

// 1250 bytes at 12.5 GB/s between nodes of one device, 10 us of latency and 7 ns on top.
TEST(PlanTimes, SendsTakeTheirTransfer) {
  ClusterSettings cluster;
  cluster.devices = {"a100"};
  cluster.devices_per_node = 1;
  ModelCost cost = distinct_layers(4);
  cost.send_ns = 7;
  cost.layers[1].output = {1250};
  cost.layers[2].output = {999};
  const pipeline::Step forward{ActionKind::kSendForward, {0}, MicroBatch{0}};
  const pipeline::Step backward{ActionKind::kSendBackward, {1}, MicroBatch{0}};
  EXPECT_EQ(times_of(cost, two_stages(FreezePlan(FreezeMask(4)))).delay(forward), ns(7));
  cost.topology = std::make_shared<const Topology>(make_topology(cluster, 2));
  const PlanTimes times = times_of(cost, two_stages(FreezePlan(FreezeMask(4))));
  for (const pipeline::Step& send : {forward, backward}) {
    EXPECT_EQ(times.delay(send), ns(100 + 10'000 + 7));
    EXPECT_EQ(times.message(send), base::Bytes{1250});
  }
}

/// F keeps no graph and costs 5 a layer; B begins with the forward of the layers above the line.
TEST(PlanTimes, OfRecomputationBeginTheBackwardWithTheForward) {
  ModelCost cost = distinct_layers(4);
  cost.recompute = true;
  for (int i = 0; i < 4; ++i) cost.layers[static_cast<std::size_t>(i)].output = {10 + i};
  const PlanTimes times = times_of(cost, two_stages(FreezePlan(FreezeMask(4))));
  EXPECT_EQ(time_of(times, ActionKind::kForward, 1), ns(5 + 5));
  EXPECT_EQ(time_of(times, ActionKind::kInputGradient, 1), ns(22 + 23 + 12 + 13));
  EXPECT_EQ(time_of(times, ActionKind::kWeightGradient, 1), ns(48 + 52));
  EXPECT_EQ(time_of(times, ActionKind::kBackward, 1), ns(22 + 23 + 48 + 52 + 12 + 13));
  EXPECT_EQ(times.activation({1}, {0}), base::Bytes{11});
  EXPECT_EQ(times.recomputed({1}, {0}), base::Bytes{200});
  EXPECT_EQ(times.activation({0}, {0}), base::Bytes{0});
  EXPECT_EQ(times.full_activation({1}), base::Bytes{200});
  const PlanTimes frozen = times_of(cost, two_stages(FreezePlan(FreezeMask::from_text("1000"))));
  EXPECT_EQ(time_of(frozen, ActionKind::kInputGradient, 0), ns(21 + 11));
  EXPECT_EQ(frozen.activation({0}, {0}), base::Bytes{10});  // into the layer above the line
  EXPECT_EQ(frozen.recomputed({0}, {0}), base::Bytes{100});
  const PlanTimes below = times_of(cost, two_stages(FreezePlan(FreezeMask::from_text("1100"))));
  EXPECT_EQ(below.activation({0}, {0}), base::Bytes{0});
  EXPECT_EQ(below.recomputed({0}, {0}), base::Bytes{0});
}

/// (m + p - 1)(F + B) becomes (m + p - 1)(2 F + B).
TEST(PredictStep, GrowsByAForwardInEachBackwardThatRecomputes) {
  ModelCost cost = equal_layers(4, layer_cost(20, 30, 10));
  const auto predict = [&](int ranks, int micro_batches) {
    const auto plan = make_plan("1f1b", {ranks, 1, micro_batches}, Partition::even(4, ranks),
                                FreezePlan(FreezeMask(4)));
    return predict_step(cost, UnitTable::of_layers(4), plan);
  };
  for (const auto& [p, m] : {std::pair{1, 3}, {2, 4}, {4, 8}, {4, 2}}) {
    const int layers = 4 / p;
    cost.recompute = false;
    EXPECT_EQ(predict(p, m), ns((m + p - 1) * layers * 60));
    cost.recompute = true;
    EXPECT_EQ(predict(p, m), ns((m + p - 1) * layers * 80));
  }
}

}  // namespace
}  // namespace frostline::cost
