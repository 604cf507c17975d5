#include <gtest/gtest.h>

#include "cost/settings.h"

namespace frostline::cost {
namespace {

using base::Bytes;

constexpr std::int64_t kMib = 1 << 20;

CostSettings settings_of(base::Numbers forward, base::Numbers input, base::Numbers weight) {
  CostSettings settings;
  settings.source = "table";
  settings.forward_ms = std::move(forward);
  settings.input_gradient_ms = std::move(input);
  settings.weight_gradient_ms = std::move(weight);
  return settings;
}

std::vector<double> forwards(const ModelCost& cost) {
  std::vector<double> all;
  for (const LayerCost& layer : cost.layers) all.push_back(layer.forward_ns);
  return all;
}

TEST(TableCost, TakesOneValueForAllStages) {
  const ModelCost cost = table_cost(settings_of({1.5}, {2}, {3}), {2, 1, 4}, 2);
  ASSERT_EQ(cost.layers.size(), 2U);
  EXPECT_EQ(cost.layers[0], cost.layers[1]);
  EXPECT_EQ(cost.layers[0].forward_ns, 1.5e6);
  EXPECT_EQ(cost.layers[0].forward_below_ns, 1.5e6);
  EXPECT_EQ(cost.layers[0].input_gradient_ns, 2e6);
  EXPECT_EQ(cost.layers[0].weight_gradient_ns, 3e6);
  EXPECT_EQ(cost.layers[0].frozen_backward_ns, 2e6);
  EXPECT_EQ(cost.layers[0].optimizer_ns, 0);
}

TEST(TableCost, TakesWhatAnOverlappedPairSaves) {
  CostSettings settings = settings_of({1}, {2}, {3});
  EXPECT_EQ(table_cost(settings, {2, 1, 4}, 2).layers[1].overlap_saving_ns, 0);
  settings.overlap_ms = {4, 7};
  const ModelCost cost = table_cost(settings, {2, 1, 4}, 4);
  EXPECT_EQ(cost.layers[0].overlap_saving_ns, 1e6);   // of 2 on the stage
  EXPECT_EQ(cost.layers[3].overlap_saving_ns, -5e5);  // longer than one after the other
}

TEST(TableCost, GivesARanksValueToAllOfItsStages) {
  const ModelCost cost = table_cost(settings_of({1, 2}, {1}, {1}), {2, 2, 4}, 4);
  EXPECT_EQ(forwards(cost), (std::vector<double>{1e6, 2e6, 1e6, 2e6}));
}

TEST(TableCost, AsksWhichRankHoldsTheStage) {
  const ModelCost cost =
      table_cost(settings_of({1, 2}, {1}, {1}), {2, 2, 4}, 4, pipeline::v_placement(2));
  EXPECT_EQ(forwards(cost), (std::vector<double>{1e6, 2e6, 2e6, 1e6}));
}

TEST(TableCost, TakesOneValueAStageInModelOrder) {
  const ModelCost cost = table_cost(settings_of({1, 2, 3, 4}, {1}, {1}), {2, 2, 4}, 4);
  EXPECT_EQ(forwards(cost), (std::vector<double>{1e6, 2e6, 3e6, 4e6}));
}

/// Five layers on two stages are 3 + 2. Bytes stay whole and add up: 7 MiB in three parts.
TEST(TableCost, SpreadsAStagesFiguresOverItsLayers) {
  CostSettings settings = settings_of({6, 8}, {3}, {1.5});
  settings.activation_mib = {7.0};
  settings.activation_after_input_gradient_mib = {1.0};
  const ModelCost cost = table_cost(settings, {2, 1, 4}, 5);
  EXPECT_EQ(forwards(cost), (std::vector<double>{2e6, 2e6, 2e6, 4e6, 4e6}));
  EXPECT_EQ(cost.layers[4].weight_gradient_ns, 0.75e6);
  Bytes activation;
  Bytes after;
  for (int i = 0; i < 3; ++i) {
    activation += cost.layers[static_cast<std::size_t>(i)].activation;
    after += cost.layers[static_cast<std::size_t>(i)].activation_after_input_gradient;
  }
  EXPECT_EQ(activation, Bytes{7 * kMib});
  EXPECT_EQ(after, Bytes{kMib});
}

TEST(TableCost, HoldsHalfOfTheActivationForTheWeightGradientByDefault) {
  CostSettings settings = settings_of({1}, {1}, {1});
  EXPECT_EQ(table_cost(settings, {1, 1, 1}, 1).layers[0].activation, Bytes{kMib});
  EXPECT_EQ(table_cost(settings, {1, 1, 1}, 1).layers[0].activation_after_input_gradient,
            Bytes{kMib / 2});
}

TEST(TableCost, PassesOnWhatBelongsToNoStage) {
  CostSettings settings = settings_of({1}, {1}, {1});
  settings.send_ms = 0.601;
  settings.partial_freeze_overhead = 0.15;
  settings.frozen_backward_ms = {0.5};
  const ModelCost cost = table_cost(settings, {1, 1, 1}, 1);
  EXPECT_DOUBLE_EQ(cost.send_ns, 601'000);
  EXPECT_EQ(cost.partial_freeze_overhead, 0.15);
  EXPECT_EQ(cost.layers[0].frozen_backward_ns, 0.5e6);
  EXPECT_EQ(cost.validation_ns, 0);
}

/// Whichever layer comes to stand at the border of a stage sends it.
TEST(TableCost, EachOfAStagesLayersHandsOnItsMessage) {
  CostSettings settings = settings_of({1}, {1}, {1});
  EXPECT_EQ(table_cost(settings, {2, 1, 1}, 4).layers[1].output, Bytes{0});
  settings.message_mib = {2, 3};
  const ModelCost cost = table_cost(settings, {2, 1, 1}, 4);
  EXPECT_EQ(cost.layers[0].output, Bytes{2 * kMib});
  EXPECT_EQ(cost.layers[1].output, Bytes{2 * kMib});
  EXPECT_EQ(cost.layers[3].output, Bytes{3 * kMib});
}

}  // namespace
}  // namespace frostline::cost
