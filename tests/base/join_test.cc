#include "base/join.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace frostline::base {
namespace {

using Words = std::vector<std::string>;

TEST(Join, PutsSeparatorsBetween) {
  EXPECT_EQ(join(Words{}), "");
  EXPECT_EQ(join(Words{"a"}), "a");
  EXPECT_EQ(join(Words{"a", "", "b"}), "a, , b");
  EXPECT_EQ(join(Words{"", ""}, "\n"), "\n");
}

}  // namespace
}  // namespace frostline::base
