#include "cost/balance.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <functional>

#include "base/error.h"
#include "cost/plan_times.h"
#include "tests/cost/plans.h"

namespace frostline::cost {
namespace {

using base::Duration;
using pipeline::Action;
using pipeline::ActionKind;
using pipeline::Cut;
using pipeline::FreezeMask;
using pipeline::Partition;
using pipeline::StageId;
using pipeline::UnitTable;

/// A balance to find: the model, what is frozen, and a device for each stage.
struct Task {
  ModelCost cost;
  UnitTable units;
  FreezeMask mask;
  Cut cut;
  std::vector<double> slowness;
};

ModelCost slowed(ModelCost cost, double factor) {
  for (LayerCost& layer : cost.layers) {
    for (double* time : {&layer.forward_ns, &layer.forward_below_ns, &layer.input_gradient_ns,
                         &layer.weight_gradient_ns, &layer.frozen_backward_ns}) {
      *time *= factor;
    }
  }
  return cost;
}

/// Forward and whole backward of each stage, as a plan would have them run.
std::vector<Duration> stage_times(const Task& task, const Partition& partition) {
  const auto plan = make_plan("gpipe", {partition.stages(), 1, 1}, partition,
                              pipeline::FreezePlan(task.mask), task.cut);
  std::vector<Duration> all;
  for (const StageId stage : base::ids<StageId>(partition.stages())) {
    const PlanTimes times(slowed(task.cost, task.slowness[stage.index()]), task.units, plan);
    all.push_back(times.computation(Action(ActionKind::kForward, stage, {0})) +
                  times.computation(Action(ActionKind::kBackward, stage, {0})));
  }
  return all;
}

void for_each_composition(int layers, int stages, std::vector<int>& counts,
                          const std::function<void(const std::vector<int>&)>& visit) {
  if (stages == 1) {
    counts.push_back(layers);
    visit(counts);
    counts.pop_back();
    return;
  }
  for (int first = 1; first <= layers - stages + 1; ++first) {
    counts.push_back(first);
    for_each_composition(layers - first, stages - 1, counts, visit);
    counts.pop_back();
  }
}

/// What the order among partitions compares: slowest of all stages, layers of the first; slowest of
/// the rest, layers of the second; and so on.
std::vector<std::int64_t> rank_key(const std::vector<Duration>& times,
                                   const std::vector<int>& counts) {
  std::vector<std::int64_t> key;
  for (std::size_t i = 0; i < times.size(); ++i) {
    key.push_back(std::max_element(times.begin() + static_cast<long>(i), times.end())->count());
    key.push_back(counts[i]);
  }
  return key;
}

Partition best_by_trying_all(const Task& task) {
  const auto stages = static_cast<int>(task.slowness.size());
  std::vector<int> best;
  std::vector<std::int64_t> best_key;
  std::vector<int> counts;
  for_each_composition(task.units.layers(), stages, counts, [&](const std::vector<int>& tried) {
    const auto key = rank_key(stage_times(task, Partition(tried)), tried);
    if (best.empty() || key < best_key) {
      best = tried;
      best_key = key;
    }
  });
  return Partition(best);
}

TEST(BalancedPartition, SplitsEqualLayersEvenly) {
  const ModelCost cost = equal_layers(8, layer_cost(1, 1, 1));
  const UnitTable units = UnitTable::of_layers(8);
  EXPECT_EQ(balanced_partition(cost, units, FreezeMask(8), 2).text(), "4+4");
  EXPECT_EQ(balanced_partition(cost, units, FreezeMask(8), 8).text(), "1+1+1+1+1+1+1+1");
  EXPECT_EQ(balanced_partition(cost, units, FreezeMask(8), 1).text(), "8");
}

/// Half of 8 blocks frozen: 4 F below the line and a whole block against 3 whole ones, 7 to 9.
TEST(BalancedPartition, CountsForwardsAloneBelowTheFrostLine) {
  const ModelCost cost = equal_layers(8, layer_cost(1, 1, 1));
  const UnitTable units = UnitTable::of_layers(8);
  EXPECT_EQ(balanced_partition(cost, units, freeze_leading_layers(units, 4), 2).text(), "5+3");
}

/// 7 equal layers on 3 stages: 3 are needed somewhere; the first stage takes as few as it may (1),
/// then the second as few as balance the remaining 6 (3).
TEST(BalancedPartition, TakesTheEarliestSplitAmongEquals) {
  const ModelCost cost = equal_layers(7, layer_cost(1, 1, 1));
  const UnitTable units = UnitTable::of_layers(7);
  EXPECT_EQ(balanced_partition(cost, units, FreezeMask(7), 3).text(), "1+3+3");
}

/// Where layer 0 decides the slowest stage, the rest is still split as evenly as it can be.
TEST(BalancedPartition, BalancesWhatTheSlowestStageLeaves) {
  ModelCost cost = equal_layers(7, layer_cost(1, 1, 1));
  cost.layers[0] = layer_cost(10, 10, 10);
  EXPECT_EQ(balanced_partition(cost, UnitTable::of_layers(7), FreezeMask(7), 3).text(), "1+3+3");
}

/// 12 layers of 3 units; the second device needs twice the time: 5 x 3, 2 x 6 and 5 x 3.
TEST(BalancedPartition, GivesASlowDeviceLess) {
  const ModelCost cost = equal_layers(12, layer_cost(1, 1, 1));
  const UnitTable units = UnitTable::of_layers(12);
  EXPECT_EQ(balanced_partition(cost, units, FreezeMask(12), Cut::kPrefix, {1, 2, 1}).text(),
            "5+2+5");
}

/// Half of 8 blocks frozen, but all of their input gradients computed: 4 of 2 and 4 of 3 units of
/// work. 5+3 takes 11 and 9, 4+4 8 and 12.
TEST(BalancedPartition, CountsInputGradientsBelowTheFrostLineWithoutACut) {
  const ModelCost cost = equal_layers(8, layer_cost(1, 1, 1));
  const UnitTable units = UnitTable::of_layers(8);
  const FreezeMask half = freeze_leading_layers(units, 4);
  EXPECT_EQ(balanced_partition(cost, units, half, Cut::kNone, {1, 1}).text(), "5+3");
}

/// Its frozen layers go forward alone, 1 unit each: 4+2+2 takes 4, 6 and 6; a frozen layer on the
/// second stage would take 2, a fifth on the first 3 more than its 4.
TEST(BalancedPartition, CutsInTheFirstStageAlone) {
  const ModelCost cost = equal_layers(8, layer_cost(1, 1, 1));
  const UnitTable units = UnitTable::of_layers(8);
  const FreezeMask half = freeze_leading_layers(units, 4);
  EXPECT_EQ(balanced_partition(cost, units, half, Cut::kFirstStage, {1, 1, 1}).text(), "4+2+2");
}

TEST(BalancedPartition, RefusesMoreStagesThanLayers) {
  const ModelCost cost = equal_layers(2, layer_cost(1, 1, 1));
  EXPECT_THROW(balanced_partition(cost, UnitTable::of_layers(2), FreezeMask(2), 3), base::Error);
}

/// Uniform from the first case on; left alone, RapidCheck begins with the smallest numbers.
int below(int bound) { return *rc::gen::resize(rc::kNominalSize, rc::gen::inRange(0, bound)); }

LayerCost random_layer() {
  const auto time = [] { return (1 + below(40)) / 4.0; };
  LayerCost layer = layer_cost(time(), time(), time());
  layer.forward_below_ns = time();
  layer.frozen_backward_ns = time();
  return layer;
}

/// With powers of two as factors, so that a sum of slowed layers is the slowed sum to the last bit.
Task random_task(int layers) {
  const UnitTable units = UnitTable::of_layers(layers);
  Task task{{}, units, freeze_leading_layers(units, below(layers + 1)), Cut{below(3)}, {}};
  for (int i = 0; i < layers; ++i) task.cost.layers.push_back(random_layer());
  task.cost.partial_freeze_overhead = below(3) / 4.0;
  for (const auto unit : base::ids<pipeline::UnitId>(layers)) {
    if (below(4) == 0) task.mask.freeze(unit);
  }
  const int stages = 1 + below(layers);
  for (int i = 0; i < stages; ++i) task.slowness.push_back(1 << below(3));
  return task;
}

RC_GTEST_PROP(BalancedPartition, IsTheBestOfAll, ()) {
  const Task task = random_task(1 + below(8));
  RC_ASSERT(balanced_partition(task.cost, task.units, task.mask, task.cut, task.slowness) ==
            best_by_trying_all(task));
}

RC_GTEST_PROP(BalancedPartition, OfEqualDevicesCutsThePrefix, ()) {
  const Task task = random_task(1 + below(8));
  const auto stages = static_cast<int>(task.slowness.size());
  const std::vector<double> equal(task.slowness.size(), 1);
  RC_ASSERT(balanced_partition(task.cost, task.units, task.mask, stages) ==
            balanced_partition(task.cost, task.units, task.mask, Cut::kPrefix, equal));
}

}  // namespace
}  // namespace frostline::cost
