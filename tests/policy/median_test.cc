#include "policy/median.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>

namespace frostline::policy {
namespace {

TEST(Median, IsTheMiddleOrTheMeanOfTheTwoInTheMiddle) {
  EXPECT_EQ(median({7}), 7);
  EXPECT_EQ(median({9, 1, 4}), 4);
  EXPECT_EQ(median({9, 1, 4, 2}), 3);
  EXPECT_EQ(median({5, 5}), 5);
}

TEST(Median, LeavesOneOut) {
  const std::vector<double> sorted{1, 2, 4, 8};
  EXPECT_EQ(median_without(sorted, 0), 4);
  EXPECT_EQ(median_without(sorted, 1), 4);
  EXPECT_EQ(median_without(sorted, 2), 2);
  EXPECT_EQ(median_without(sorted, 3), 2);
  EXPECT_EQ(median_without(std::vector<double>{1, 2, 4}, 1), 2.5);
}

RC_GTEST_PROP(Median, LeavingOneOutIsTheMedianOfTheRest, (std::vector<double> values)) {
  RC_PRE(values.size() >= 2);
  std::sort(values.begin(), values.end());
  const auto left_out = *rc::gen::inRange<std::size_t>(0, values.size());
  std::vector<double> rest = values;
  rest.erase(rest.begin() + static_cast<std::ptrdiff_t>(left_out));
  RC_ASSERT(median_without(values, left_out) == median(rest));
}

}  // namespace
}  // namespace frostline::policy
