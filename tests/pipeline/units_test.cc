#include "pipeline/units.h"

#include <gtest/gtest.h>

namespace frostline::pipeline {
namespace {

/// Three layers, of which the last is the head; "embedding" is tied into it.
UnitTable tied() {
  return {{"embed", "block", "head"},
          {{"embedding", {{0}, {2}}, {"embed.weight"}, 10},
           {"block", {{1}}, {"block.weight", "block.bias"}, 5},
           {"norm", {{2}}, {"head.norm"}, 1}},
          {2}};
}

TEST(UnitTable, CountsLayersUnitsAndNumbers) {
  EXPECT_EQ(tied().layers(), 3);
  EXPECT_EQ(tied().size(), 3);
  EXPECT_EQ(tied().elements(), 16);
}

TEST(UnitTable, ALayerHasItsOwnAndItsTiedUnits) {
  EXPECT_EQ(tied().units_of({0}), (std::vector<UnitId>{{0}}));
  EXPECT_EQ(tied().units_of({2}), (std::vector<UnitId>{{0}, {2}}));
}

TEST(UnitTable, AUnitTiedIntoTheHeadBelongsToIt) {
  EXPECT_TRUE(tied().in_head({0}));
  EXPECT_FALSE(tied().in_head({1}));
  EXPECT_TRUE(tied().in_head({2}));
}

TEST(UnitTable, OfLayersHasAUnitALayer) {
  const UnitTable table = UnitTable::of_layers(3);
  EXPECT_EQ(table.size(), 3);
  EXPECT_EQ(table.units[1].name, "layer.1");
  EXPECT_EQ(table.units_of({1}), (std::vector<UnitId>{{1}}));
  EXPECT_EQ(table.units[1].tensors.size(), 1u);
  EXPECT_EQ(table.head, LayerId{2});
  EXPECT_FALSE(table.in_head({1}));
  EXPECT_TRUE(table.in_head({2}));
}

}  // namespace
}  // namespace frostline::pipeline
