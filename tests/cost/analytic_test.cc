#include "cost/analytic.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "models/gpt.h"

namespace frostline::cost {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

/// 110 parameters; for a sample 117, 234 and 117 kFLOP, 400 bytes kept and 200 handed on.
models::LayerDescription small_layer() {
  models::LayerDescription layer;
  layer.name = "small";
  layer.tensors = {{"small.weight", {11, 10}}};
  layer.forward_flops = 117e3;
  layer.input_gradient_flops = 234e3;
  layer.weight_gradient_flops = 117e3;
  layer.activation = {400};
  layer.output = {200};
  return layer;
}

models::LayerDescription look_up() {
  models::LayerDescription layer = small_layer();
  layer.forward_flops = 0;
  layer.input_gradient_flops = 0;
  layer.weight_gradient_flops = 0;
  return layer;
}

/// A core with 117 GFLOP/s and 22 GB/s, in 4 bytes.
ClusterSettings cores(base::Words devices = {"cpu_core"}) {
  ClusterSettings cluster;
  cluster.devices = std::move(devices);
  cluster.efficiency = 1;
  return cluster;
}

pipeline::PipelineSettings sizes(std::int64_t ranks, std::int64_t replicas = 1) {
  pipeline::PipelineSettings settings;
  settings.ranks = ranks;
  settings.replicas = replicas;
  return settings;
}

// Two samples: weights 440 bytes, kept 800, output 400, a gradient's sum 440.
TEST(LayerTraffic, CountsWhatPassesMove) {
  const LayerTraffic traffic = layer_traffic(small_layer(), 2, 4);
  EXPECT_EQ(traffic.forward, 440 + 800 + 400);
  EXPECT_EQ(traffic.input_gradient, 440 + 800 + 2 * 400);
  EXPECT_EQ(traffic.weight_gradient, 800 + 400 + 2 * 440);
  EXPECT_EQ(traffic.optimizer, 110 * 28);
}

TEST(LayerTraffic, HalvesAllButTheSumsInTwoBytes) {
  const LayerTraffic traffic = layer_traffic(small_layer(), 2, 2);
  EXPECT_EQ(traffic.forward, (440 + 800 + 400) / 2);
  EXPECT_EQ(traffic.weight_gradient, (800 + 400) / 2 + 2 * 440);
  EXPECT_EQ(traffic.optimizer, 110 * 30);
}

TEST(LayerTraffic, ALookUpReadsWhatItReturns) {
  const LayerTraffic traffic = layer_traffic(look_up(), 2, 4);
  EXPECT_EQ(traffic.forward, 800 + 400);
  EXPECT_EQ(traffic.input_gradient, 0);
  EXPECT_EQ(traffic.weight_gradient, 800 + 400 + 400);
}

// Each pass moves some 2 kB, in 100 ns: the FLOPs take longer.
TEST(AnalyticLayer, TakesItsFlopsWhereTheyAreLonger) {
  const LayerCost cost = analytic_layer(small_layer(), 2, cores(), 0);
  EXPECT_DOUBLE_EQ(cost.forward_ns, 2000);
  EXPECT_DOUBLE_EQ(cost.forward_below_ns, 2000);
  EXPECT_DOUBLE_EQ(cost.input_gradient_ns, 4000);
  EXPECT_DOUBLE_EQ(cost.frozen_backward_ns, 4000);
  EXPECT_DOUBLE_EQ(cost.weight_gradient_ns, 2000);
  EXPECT_DOUBLE_EQ(cost.optimizer_ns, 110 * 28 / 22.0);
  EXPECT_EQ(cost.activation.count, 800);
  EXPECT_EQ(cost.activation_after_input_gradient.count, 800);
  EXPECT_EQ(cost.output.count, 400);
}

TEST(AnalyticLayer, TakesItsTrafficWhereThatIsLonger) {
  const LayerCost cost = analytic_layer(look_up(), 22, cores(), 0);
  EXPECT_DOUBLE_EQ(cost.forward_ns, 400 + 200);
  EXPECT_DOUBLE_EQ(cost.input_gradient_ns, 0);
  EXPECT_DOUBLE_EQ(cost.weight_gradient_ns, 400 + 200 + 200);
}

TEST(AnalyticLayer, KeepsAndSendsHalfInTwoBytes) {
  const LayerCost cost = analytic_layer(small_layer(), 2, cores({"a100"}), 0);
  EXPECT_EQ(cost.activation.count, 400);
  EXPECT_EQ(cost.output.count, 200);
}

// A device that sustains half of its peak takes twice as long for FLOPs.
TEST(AnalyticLayer, FollowsTheSustainedRate) {
  ClusterSettings cluster = cores();
  cluster.efficiency = 0.5;
  EXPECT_DOUBLE_EQ(analytic_layer(small_layer(), 2, cluster, 0).forward_ns, 4000);
}

TEST(AnalyticCost, HasNoSpeedsForOneKind) {
  const models::ModelDescription model{.kind = "x", .layers = {small_layer(), small_layer()}};
  const ModelCost cost = analytic_cost(model, cores(), sizes(2), 2);
  EXPECT_EQ(cost.layers.size(), 2U);
  EXPECT_THAT(cost.rank_speed, IsEmpty());
}

// All in FLOPs: an A100's peak is 312 TFLOP/s, a V100's 125.
TEST(AnalyticCost, ComparesTheKindsOfAPipeline) {
  models::LayerDescription layer = small_layer();
  for (double* flops :
       {&layer.forward_flops, &layer.input_gradient_flops, &layer.weight_gradient_flops}) {
    *flops *= 1e6;
  }
  const models::ModelDescription model{.kind = "x", .layers = {layer}};
  const ModelCost cost = analytic_cost(model, cores({"a100", "v100", "a100"}), sizes(3), 1);
  ASSERT_EQ(cost.rank_speed.size(), 3U);
  EXPECT_EQ(cost.rank_speed[0], 1);
  EXPECT_NEAR(cost.rank_speed[1], 125.0 / 312, 1e-12);
  EXPECT_EQ(cost.rank_speed[2], 1);
  const ModelCost two =
      analytic_cost(model, cores({"a100", "a100", "v100", "a100"}), sizes(2, 2), 1);
  EXPECT_NEAR(two.rank_speed[0], 125.0 / 312, 1e-12);  // of the second replica's
  EXPECT_EQ(two.rank_speed[1], 1);
}

/// Forward FLOPs times 3 are the model FLOPs of Narayanan et al., "Efficient Large-Scale Language
/// Model Training on GPU Clusters Using Megatron-LM", SC 2021, equation 3 without recomputation:
/// 72 B s l h^2 (1 + s / 6h + V / 12 l h).
TEST(AnalyticCost, TakesTheForwardThatTheModelsFlopsGive) {
  models::ModelSettings settings;
  settings.kind = "gpt";
  settings.blocks = 24;
  settings.width = 2304;
  settings.heads = 24;
  settings.sequence = 2048;
  settings.vocabulary = 51200;
  const double h = 2304;
  const double flops = 24 * 16 * 2048 * 24 * h * h * (1 + 2048 / (6 * h) + 51200 / (12 * 24 * h));
  ClusterSettings cluster = cores({"a100"});
  cluster.efficiency = 0.44;
  const ModelCost cost = analytic_cost(describe_gpt(settings), cluster, sizes(1), 16);
  double forward_ns = 0;
  for (std::size_t i = 1; i < cost.layers.size(); ++i) forward_ns += cost.layers[i].forward_ns;
  EXPECT_NEAR(forward_ns, flops / (0.44 * 312e12) * 1e9, 1e-6 * forward_ns);
}

std::vector<std::string> problems_of(const models::ModelDescription& model,
                                     const ClusterSettings& cluster, std::int64_t batch) {
  base::Document document = base::Document::from_text("", "s.toml");
  check_analytic(document, model, cluster, batch);
  std::vector<std::string> texts;
  try {
    document.throw_if_invalid();
  } catch (const base::InvalidInput& invalid) {
    for (const base::Problem& problem : invalid.problems()) texts.push_back(problem.text());
  }
  return texts;
}

TEST(CheckAnalytic, WantsAModelDevicesAndABatchThatCanBeCounted) {
  const models::ModelDescription model{.kind = "x", .layers = {small_layer()}};
  EXPECT_THAT(problems_of(model, cores(), 32), IsEmpty());
  EXPECT_THAT(
      problems_of({}, ClusterSettings{}, 32),
      ElementsAre(HasSubstr("needs a model; give model.kind"), HasSubstr("needs cluster.devices")));
  EXPECT_THAT(problems_of(model, cores(), std::int64_t{1} << 60),
              ElementsAre(HasSubstr("train.batch = 1152921504606846976 makes activations")));
}

}  // namespace
}  // namespace frostline::cost
