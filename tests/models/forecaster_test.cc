#include "models/describe.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace frostline::models {
namespace {

using ::testing::ElementsAre;

/// 12 hours in 3 patches of 4, to 2 hours; width 6 in 2 heads, MLP 12 wide.
ModelDescription small(double dropout = 0) {
  ModelSettings model;
  model.kind = "forecaster";
  model.blocks = 2;
  model.width = 6;
  model.heads = 2;
  model.mlp_ratio = 2;
  model.patch = 4;
  model.dropout = dropout;
  DataSettings data;
  data.context = 12;
  data.horizon = 2;
  return describe_model(model, data);
}

std::vector<std::string> names(const LayerDescription& layer) {
  std::vector<std::string> names;
  for (const TensorDescription& tensor : layer.tensors) names.push_back(tensor.name);
  return names;
}

TEST(ForecasterTest, IsAChainOfEmbeddingBlocksAndHead) {
  const ModelDescription model = small();
  ASSERT_EQ(model.layers.size(), 4u);
  EXPECT_EQ(model.layers[0].name, "embedding");
  EXPECT_EQ(model.layers[2].name, "blocks.1");
  EXPECT_EQ(model.layers[2].kind, "block");
  EXPECT_EQ(model.layers[3].name, "head");
  EXPECT_EQ(model.head_layers, 1);
  EXPECT_THAT(
      names(model.layers[1]),
      ElementsAre("blocks.0.attention.norm.weight", "blocks.0.attention.norm.bias",
                  "blocks.0.attention.qkv.weight", "blocks.0.attention.qkv.bias",
                  "blocks.0.attention.out.weight", "blocks.0.attention.out.bias",
                  "blocks.0.mlp.norm.weight", "blocks.0.mlp.norm.bias", "blocks.0.mlp.up.weight",
                  "blocks.0.mlp.up.bias", "blocks.0.mlp.down.weight", "blocks.0.mlp.down.bias"));
}

// Embedding: 3 tokens of 4 hours and 4 calendar features to width 6.
TEST(ForecasterTest, CountsTheEmbedding) {
  const LayerDescription layer = small().layers[0];
  EXPECT_EQ(layer.parameters(), 6 * 8 + 6 + 3 * 6);
  EXPECT_EQ(layer.forward_flops, 2 * 3 * 8 * 6);
  EXPECT_EQ(layer.input_gradient_flops, 0);  // nothing comes before it
  EXPECT_EQ(layer.weight_gradient_flops, 2 * 3 * 8 * 6);
  EXPECT_EQ(layer.activation.count, 4 * 3 * 8);
  EXPECT_EQ(layer.output.count, 4 * 3 * 6);
}

// Block: linear maps 6 -> 18, 6 -> 6, 6 -> 12, 12 -> 6 over 3 tokens; each product of 3 x 3 scores
// or with them takes 2 * 3 * 3 * 6 FLOPs, two in the forward and five in the backward.
TEST(ForecasterTest, CountsABlock) {
  const LayerDescription layer = small().layers[1];
  const double linears = 2 * 3 * (6 * 18 + 6 * 6 + 6 * 12 + 12 * 6);
  EXPECT_EQ(layer.parameters(), 6 * 18 + 18 + 6 * 6 + 6 + 6 * 12 + 12 + 12 * 6 + 6 + 4 * 6);
  EXPECT_EQ(layer.forward_flops, linears + 2 * 108);
  EXPECT_EQ(layer.input_gradient_flops, linears + 5 * 108);
  EXPECT_EQ(layer.weight_gradient_flops, linears);
  // Per token: 8 times the width, twice the MLP, 2 heads, and 2 numbers for each of 2 norms.
  EXPECT_EQ(layer.activation.count, 4 * 3 * (8 * 6 + 2 * 12 + 2 + 4));
  EXPECT_EQ(layer.output.count, 4 * 3 * 6);
}

TEST(ForecasterTest, CountsTheMasksOfDropout) {
  EXPECT_EQ((small(0.1).layers[1].activation - small().layers[1].activation).count, 4 * 3 * 2 * 6);
}

// Head: 3 tokens of width 6 at once to 2 hours, and 12 hours to 2 hours.
TEST(ForecasterTest, CountsTheHead) {
  const LayerDescription layer = small().layers[3];
  EXPECT_EQ(layer.parameters(), 2 * 6 + 2 * 18 + 2 + 2 * 12);
  EXPECT_EQ(layer.forward_flops, 2 * (18 * 2 + 12 * 2));
  EXPECT_EQ(layer.input_gradient_flops, 2 * 18 * 2);
  EXPECT_EQ(layer.weight_gradient_flops, 2 * (18 * 2 + 12 * 2));
  EXPECT_EQ(layer.activation.count, 4 * (2 * 18 + 2 * 3 + 12));
  EXPECT_EQ(layer.output.count, 4 * 2);
}

TEST(ForecasterTest, HasAboutAMillionParametersByDefault) {
  ModelSettings model;
  model.kind = "forecaster";
  EXPECT_EQ(describe_model(model, DataSettings{}).parameters(), 950616);
}

}  // namespace
}  // namespace frostline::models
