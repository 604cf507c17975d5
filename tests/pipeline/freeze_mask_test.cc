#include "pipeline/freeze_mask.h"

#include <gtest/gtest.h>

#include "tests/pipeline/samples.h"

namespace frostline::pipeline {
namespace {

FreezeMask mask(const char* text) { return FreezeMask::from_text(text); }

TEST(FreezeMask, FreezesAndThaws) {
  FreezeMask mask(3);
  EXPECT_EQ(mask.text(), "000");
  mask.freeze({0});
  mask.freeze({2});
  EXPECT_EQ(mask.text(), "101");
  EXPECT_EQ(mask.count(), 2);
  EXPECT_FALSE(mask.all());
  mask.thaw({0});
  EXPECT_EQ(mask.text(), "001");
  EXPECT_TRUE(FreezeMask::from_text("11").all());
}

TEST(FreezeMask, TextReadsBack) {
  for (const char* text : {"", "0", "1100"}) EXPECT_EQ(mask(text).text(), text);
  EXPECT_EQ(error_of([] { FreezeMask::from_text("10x"); }),
            "character 3 of the freeze mask '10x' is 'x'; use 0 and 1 only");
}

TEST(FreezeMask, EqualMasksHashEqual) {
  const std::hash<FreezeMask> hash;
  EXPECT_EQ(hash(mask("0110")), hash(mask("0110")));
  EXPECT_NE(hash(mask("0110")), hash(mask("0111")));
  EXPECT_EQ(mask("0110") & mask("1010"), mask("0010"));
}

/// Layers 0, 1, 2, 3; layer 1 has no unit, layer 2 has two, and "tied" is in layers 0 and 3.
UnitTable table() {
  return {{"l0", "l1", "l2", "l3"},
          {{"tied", {{0}, {3}}, {"t"}, 4}, {"a", {{2}}, {"a"}, 3}, {"b", {{2}}, {"b"}, 1}},
          {3}};
}

TEST(FrostLine, CountsLeadingLayersWhoseUnitsAreAllFrozen) {
  const UnitTable plain = UnitTable::of_layers(4);
  EXPECT_EQ(frost_line(plain, mask("0000")), 0);
  EXPECT_EQ(frost_line(plain, mask("1100")), 2);
  EXPECT_EQ(frost_line(plain, mask("1101")), 2);
  EXPECT_EQ(frost_line(plain, mask("0111")), 0);
  EXPECT_EQ(frost_line(plain, mask("1111")), 4);
}

TEST(FrostLine, ALayerWithoutUnitsCountsAsFrozen) {
  EXPECT_EQ(frost_line(table(), mask("100")), 2);
  EXPECT_EQ(frost_line(table(), mask("110")), 2) << "b still trains";
  EXPECT_EQ(frost_line(table(), mask("111")), 4);
}

TEST(FrostLine, StaysAtTheBottomWhileATiedUnitTrains) {
  EXPECT_EQ(frost_line(table(), mask("011")), 0);
  EXPECT_EQ(training_layers(table(), mask("011")), (std::vector{true, false, false, true}));
}

TEST(FreezeLeadingLayers, LeavesATiedUnitUntilItsLastLayer) {
  EXPECT_EQ(freeze_leading_layers(table(), 0), mask("000"));
  EXPECT_EQ(freeze_leading_layers(table(), 3), mask("011"));
  EXPECT_EQ(freeze_leading_layers(table(), 4), mask("111"));
}

TEST(FrozenShare, WeighsUnitsByTheirNumbers) {
  EXPECT_DOUBLE_EQ(frozen_share(table(), mask("010")), 3.0 / 8);
  EXPECT_EQ(frozen_share(table(), mask("111")), 1.0);
  EXPECT_EQ(frozen_share(UnitTable(), FreezeMask()), 0.0);
}

TEST(FreezePlan, OneMaskHoldsForAllMicroBatches) {
  const FreezePlan plan(mask("10"));
  EXPECT_TRUE(plan.uniform());
  EXPECT_EQ(plan.mask({0}), mask("10"));
  EXPECT_EQ(plan.mask({7}), mask("10"));
  EXPECT_EQ(plan.whole_step(), mask("10"));
}

TEST(FreezePlan, EqualMasksCollapse) {
  EXPECT_EQ(FreezePlan({mask("10"), mask("10")}), FreezePlan(mask("10")));
}

TEST(FreezePlan, TheWholeStepFreezesWhatEveryMicroBatchDoes) {
  const FreezePlan plan({mask("110"), mask("011")});
  EXPECT_FALSE(plan.uniform());
  EXPECT_EQ(plan.mask({1}), mask("011"));
  EXPECT_EQ(plan.whole_step(), mask("010"));
  EXPECT_NE(std::hash<FreezePlan>{}(plan),
            std::hash<FreezePlan>{}(FreezePlan({mask("011"), mask("110")})));
}

}  // namespace
}  // namespace frostline::pipeline
