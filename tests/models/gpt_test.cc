#include "models/gpt.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace frostline::models {
namespace {

using ::testing::ElementsAre;

/// 5 tokens of 11 words; width 6 in 2 heads, MLP 12 wide.
ModelDescription small(bool tied = false) {
  ModelSettings model;
  model.kind = "gpt";
  model.blocks = 2;
  model.width = 6;
  model.heads = 2;
  model.mlp_ratio = 2;
  model.vocabulary = 11;
  model.sequence = 5;
  model.tied = tied;
  return describe_gpt(model);
}

TEST(Gpt, IsAChainOfEmbeddingBlocksAndHead) {
  std::vector<std::string> names;
  for (const LayerDescription& layer : small().layers) names.push_back(layer.name);
  EXPECT_THAT(names, ElementsAre("embedding", "blocks.0", "blocks.1", "head"));
}

TEST(Gpt, CountsTheEmbedding) {
  const LayerDescription layer = small().layers[0];
  EXPECT_EQ(layer.parameters(), 11 * 6 + 5 * 6);
  EXPECT_EQ(layer.forward_flops, 0);
  EXPECT_EQ(layer.weight_gradient_flops, 0);
  EXPECT_EQ(layer.activation.count, 8 * 5);
  EXPECT_EQ(layer.output.count, 4 * 5 * 6);
}

// Linear maps 6 -> 18, 6 -> 6, 6 -> 12, 12 -> 6 over 5 tokens, and two products of 5 x 5 scores.
TEST(Gpt, CountsABlock) {
  const LayerDescription layer = small().layers[1];
  EXPECT_EQ(layer.forward_flops, 2 * 5 * (6 * 18 + 6 * 6 + 6 * 12 + 12 * 6) + 2 * (2 * 5 * 5 * 6));
  EXPECT_EQ(layer.output.count, 4 * 5 * 6);
}

TEST(Gpt, CountsTheHead) {
  const LayerDescription layer = small().layers[3];
  EXPECT_EQ(layer.parameters(), 2 * 6 + 11 * 6);
  EXPECT_EQ(layer.forward_flops, 2 * 5 * 6 * 11);
  EXPECT_EQ(layer.input_gradient_flops, layer.forward_flops);
  EXPECT_EQ(layer.weight_gradient_flops, layer.forward_flops);
  EXPECT_EQ(layer.activation.count, 4 * 5 * (2 * 6 + 2 + 11));
}

TEST(Gpt, TiesTheHeadToTheEmbedding) {
  EXPECT_EQ(small(false).parameters() - small(true).parameters(), 11 * 6);
  const auto units = unit_table(small(true), UnitKind::kLayer);
  EXPECT_THAT(units.units.at(0).layers, ElementsAre(base::LayerId{0}, base::LayerId{3}));
}

// GPT-2 as published: 124 million parameters (the README of its repository, corrected from 117).
TEST(Gpt, HasAsManyParametersAsGpt2) {
  ModelSettings model;
  model.kind = "gpt";
  model.blocks = 12;
  model.width = 768;
  model.heads = 12;
  model.tied = true;
  EXPECT_EQ(describe_gpt(model).parameters(), 124439808);
}

}  // namespace
}  // namespace frostline::models
