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
using pipeline::FreezeMask;
using pipeline::Partition;
using pipeline::StageId;
using pipeline::UnitTable;

/// Forward and whole backward of each stage, as a plan would have them run.
std::vector<Duration> stage_times(const ModelCost& cost, const UnitTable& units,
                                  const FreezeMask& mask, const Partition& partition) {
  const auto plan =
      make_plan("gpipe", {partition.stages(), 1, 1}, partition, pipeline::FreezePlan(mask));
  const PlanTimes times(cost, units, plan);
  std::vector<Duration> all;
  for (const StageId stage : base::ids<StageId>(partition.stages())) {
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

Partition best_by_trying_all(const ModelCost& cost, const UnitTable& units, const FreezeMask& mask,
                             int stages) {
  std::vector<int> best;
  std::vector<std::int64_t> best_key;
  std::vector<int> counts;
  for_each_composition(units.layers(), stages, counts, [&](const std::vector<int>& tried) {
    const auto key = rank_key(stage_times(cost, units, mask, Partition(tried)), tried);
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

RC_GTEST_PROP(BalancedPartition, IsTheBestOfAll, ()) {
  const int layers = 1 + below(8);
  const int stages = 1 + below(layers);
  const UnitTable units = UnitTable::of_layers(layers);
  ModelCost cost;
  for (int i = 0; i < layers; ++i) cost.layers.push_back(random_layer());
  cost.partial_freeze_overhead = below(3) / 4.0;
  FreezeMask mask = freeze_leading_layers(units, below(layers + 1));
  for (const auto unit : base::ids<pipeline::UnitId>(layers)) {
    if (below(4) == 0) mask.freeze(unit);
  }
  RC_ASSERT(balanced_partition(cost, units, mask, stages) ==
            best_by_trying_all(cost, units, mask, stages));
}

}  // namespace
}  // namespace frostline::cost
