#include "base/error.h"

#include <gtest/gtest.h>

namespace frostline::base {
namespace {

TEST(Place, SaysWhatIsKnown) {
  EXPECT_EQ((Place{"a.toml", 3, 7}).text(), "a.toml:3:7");
  EXPECT_EQ((Place{"a.toml", 3}).text(), "a.toml:3");
  EXPECT_EQ((Place{"a.toml"}).text(), "a.toml");
  EXPECT_EQ(Place{}.text(), "");
}

TEST(Error, BeginsWithItsPlace) {
  EXPECT_STREQ(Error({"a.toml", 3, 7}, "x").what(), "a.toml:3:7: x");
  EXPECT_STREQ(Error(Place{}, "x").what(), "x");
}

TEST(InvalidInput, HasOneLineAProblem) {
  const InvalidInput error({{{"a.toml", 1, 2}, "x"}, {{"--set"}, "y"}, {{}, "z"}});
  EXPECT_STREQ(error.what(), "a.toml:1:2: x\n--set: y\nz");
  EXPECT_EQ(error.problems().size(), 3U);
}

}  // namespace
}  // namespace frostline::base
