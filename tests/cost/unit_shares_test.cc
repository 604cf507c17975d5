#include "cost/unit_shares.h"

#include <gtest/gtest.h>

namespace frostline::cost {
namespace {

using pipeline::FreezeMask;
using pipeline::LayerId;
using pipeline::UnitTable;

/// Layer 0: a tied table of 8 numbers, of which it has 4, and a bias of 1. Layer 1: a norm without
/// units. Layer 2: 3 numbers of its own and the other 4 of the tied table.
UnitTable tied_units() {
  return {{"embedding", "norm", "head"},
          {{"table", {{0}, {2}}, {"embedding.table", "head.table"}, 8},
           {"bias", {{0}}, {"embedding.bias"}, 1},
           {"head", {{2}}, {"head.weight"}, 3}},
          {2}};
}

TEST(UnitShares, GoByElements) {
  const UnitShares shares(tied_units());
  FreezeMask mask(3);
  mask.freeze({1});
  EXPECT_DOUBLE_EQ(shares.trained({0}, mask), 4.0 / 5.0);
  EXPECT_DOUBLE_EQ(shares.trained({2}, mask), 1.0);
  mask.freeze({0});
  EXPECT_DOUBLE_EQ(shares.trained({0}, mask), 0.0);
  EXPECT_DOUBLE_EQ(shares.trained({2}, mask), 3.0 / 7.0);
}

TEST(UnitShares, AreExactlyOneWithNothingFrozen) {
  UnitTable units = UnitTable::of_layers(1);
  for (int i = 0; i < 6; ++i) units.units.push_back({"u", {{0}}, {"t"}, 1 + i});
  EXPECT_EQ(UnitShares(units).trained({0}, FreezeMask(units.size())), 1.0);
}

TEST(UnitShares, ALayerWithoutUnitsTrainsNothing) {
  const UnitShares shares(tied_units());
  EXPECT_FALSE(shares.has_units({1}));
  EXPECT_TRUE(shares.has_units({0}));
  EXPECT_EQ(shares.trained({1}, FreezeMask(3)), 0.0);
  EXPECT_TRUE(shares.all_frozen({1}, FreezeMask(3)));
  EXPECT_TRUE(shares.none_frozen({1}, FreezeMask(3)));
}

TEST(UnitShares, TellSomeFromAllFrozen) {
  const UnitShares shares(tied_units());
  FreezeMask mask(3);
  mask.freeze({1});
  EXPECT_FALSE(shares.all_frozen({0}, mask));
  EXPECT_FALSE(shares.none_frozen({0}, mask));
  EXPECT_TRUE(shares.none_frozen({2}, mask));
  mask.freeze({0});
  EXPECT_TRUE(shares.all_frozen({0}, mask));
}

}  // namespace
}  // namespace frostline::cost
