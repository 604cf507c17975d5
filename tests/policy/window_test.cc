#include "policy/window.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace frostline::policy {
namespace {

using pipeline::FreezeMask;
using pipeline::UnitId;
using pipeline::UnitTable;
using testing::ElementsAre;
using testing::IsEmpty;

// Five layers of one unit; the fifth is the head.
struct Case {
  const char* mask;
  std::int64_t size;
  std::vector<UnitId> window;
};

TEST(Window, HoldsTheUnfrozenUnitsNextToTheFrostLine) {
  const UnitTable units = UnitTable::of_layers(5);
  const Case cases[] = {
      {"00000", 2, {{0}, {1}}},
      {"11000", 2, {{2}, {3}}},
      {"11100", 2, {{3}}},       // the head is never in it
      {"11110", 2, {}},          //
      {"01000", 2, {{0}, {2}}},  // a frozen unit above the line takes no place
      {"00000", 99, {{0}, {1}, {2}, {3}}},
  };
  for (const Case& one : cases) {
    EXPECT_EQ(window(units, FreezeMask::from_text(one.mask), one.size), one.window) << one.mask;
  }
}

TEST(Window, LeavesOutAUnitThatIsTiedToTheHead) {
  UnitTable units = UnitTable::of_layers(3);
  units.units[0].layers = {{0}, {2}};
  EXPECT_THAT(window(units, FreezeMask(3), 2), ElementsAre(UnitId{1}));
}

TEST(Unfrozen, HoldsTheHeadToo) {
  EXPECT_THAT(unfrozen(FreezeMask::from_text("1010")), ElementsAre(UnitId{1}, UnitId{3}));
  EXPECT_THAT(unfrozen(FreezeMask::from_text("11")), IsEmpty());
}

}  // namespace
}  // namespace frostline::policy
