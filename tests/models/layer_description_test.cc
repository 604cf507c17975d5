#include "models/layer_description.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace frostline::models {
namespace {

using base::LayerId;
using ::testing::ElementsAre;

std::vector<std::string> names(const pipeline::UnitTable& table) {
  std::vector<std::string> names;
  for (const pipeline::Unit& unit : table.units) names.push_back(unit.name);
  return names;
}

/// A language model in small: 7 tokens of width 3, positions, one block, and a head that may share
/// the embedding's tokens.
ModelDescription language_model(bool tied) {
  ModelDescription model{.kind = "gpt"};
  model.layers.resize(3);
  model.layers[0].name = "embedding";
  model.layers[0].tensors = {{"embedding.token.weight", {7, 3}}, {"embedding.position", {5, 3}}};
  model.layers[1].name = "blocks.0";
  model.layers[1].tensors = {{"blocks.0.up.weight", {4, 3}}, {"blocks.0.up.bias", {4}}};
  model.layers[2].name = "head";
  model.layers[2].tensors = {{"head.norm.weight", {3}}, {"head.output.weight", {7, 3}}};
  if (tied) model.tied = {{"embedding.token.weight", "head.output.weight"}};
  return model;
}

TEST(LayerDescriptionTest, CountsParameters) {
  const ModelDescription model = language_model(false);
  EXPECT_EQ(model.layers[0].parameters(), 7 * 3 + 5 * 3);
  EXPECT_EQ(model.parameters(), 36 + 16 + 24);
  EXPECT_EQ((TensorDescription{"scalar", {}}).elements(), 1);
}

TEST(UnitTableTest, TakesLayersAsUnits) {
  const pipeline::UnitTable table = unit_table(language_model(false), UnitKind::kLayer);
  EXPECT_THAT(names(table), ElementsAre("embedding", "blocks.0", "head"));
  EXPECT_THAT(table.layer_names, ElementsAre("embedding", "blocks.0", "head"));
  EXPECT_EQ(table.head, LayerId{2});
  EXPECT_THAT(table.units[1].layers, ElementsAre(LayerId{1}));
  EXPECT_THAT(table.units[1].tensors, ElementsAre("blocks.0.up.weight", "blocks.0.up.bias"));
  EXPECT_EQ(table.units[1].elements, 16);
}

TEST(UnitTableTest, TakesTensorsAsUnits) {
  const pipeline::UnitTable table = unit_table(language_model(false), UnitKind::kTensor);
  EXPECT_THAT(names(table),
              ElementsAre("embedding.token.weight", "embedding.position", "blocks.0.up.weight",
                          "blocks.0.up.bias", "head.norm.weight", "head.output.weight"));
  EXPECT_EQ(table.units[2].elements, 12);
  EXPECT_THAT(table.units[2].layers, ElementsAre(LayerId{1}));
}

TEST(UnitTableTest, TakesTiedTensorsAsOneUnit) {
  const pipeline::UnitTable table = unit_table(language_model(true), UnitKind::kTensor);
  EXPECT_THAT(names(table),
              ElementsAre("embedding.token.weight", "embedding.position", "blocks.0.up.weight",
                          "blocks.0.up.bias", "head.norm.weight"));
  EXPECT_THAT(table.units[0].layers, ElementsAre(LayerId{0}, LayerId{2}));
  EXPECT_THAT(table.units[0].tensors, ElementsAre("embedding.token.weight", "head.output.weight"));
  EXPECT_EQ(table.units[0].elements, 21);
}

TEST(UnitTableTest, TakesTiedTensorsOutOfTheirLayers) {
  const pipeline::UnitTable table = unit_table(language_model(true), UnitKind::kLayer);
  EXPECT_THAT(names(table), ElementsAre("embedding.token.weight", "embedding", "blocks.0", "head"));
  EXPECT_THAT(table.units[0].layers, ElementsAre(LayerId{0}, LayerId{2}));
  EXPECT_THAT(table.units[1].tensors, ElementsAre("embedding.position"));
  EXPECT_THAT(table.units[3].tensors, ElementsAre("head.norm.weight"));
  EXPECT_EQ(table.elements(), language_model(true).parameters());
}

TEST(UnitTableTest, CountsTiedTensorsOnce) {
  EXPECT_EQ(language_model(true).parameters(), language_model(false).parameters() - 21);
}

// What is tied into the head is never judged, so the first layer never freezes as a whole.
TEST(UnitTableTest, PutsWhatIsTiedToTheHeadIntoTheHead) {
  const pipeline::UnitTable table = unit_table(language_model(true), UnitKind::kLayer);
  EXPECT_TRUE(table.in_head(base::UnitId{0}));
  EXPECT_FALSE(table.in_head(base::UnitId{1}));
}

// Two tensors of one layer that are tied make one unit in that one layer.
TEST(UnitTableTest, NamesALayerOnceForTensorsTiedWithinIt) {
  ModelDescription model = language_model(false);
  model.layers[1].tensors.push_back({"blocks.0.again.weight", {4, 3}});
  model.tied = {{"blocks.0.up.weight", "blocks.0.again.weight"}};
  const pipeline::UnitTable table = unit_table(model, UnitKind::kTensor);
  EXPECT_THAT(table.units[2].layers, ElementsAre(LayerId{1}));
  EXPECT_EQ(table.units[2].tensors.size(), 2u);
}

}  // namespace
}  // namespace frostline::models
