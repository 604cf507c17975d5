#include "pipeline/budget.h"

#include <gtest/gtest.h>

namespace frostline::pipeline {
namespace {

using base::Duration;
using Shape = LearningRateRule::Shape;

TEST(Budget, StepsAreUsedUpOneByOne) {
  Budget budget{.steps = 4};
  EXPECT_EQ(budget.share(), 0.0);
  budget.charge_step(Duration(5));
  EXPECT_EQ(budget.share(), 0.25);
  EXPECT_EQ(budget.used_time, Duration(5));
  budget.charge(Duration(7));
  EXPECT_EQ(budget.share(), 0.25) << "time does not count against a limit of steps";
  EXPECT_EQ(budget.used_time, Duration(12));
}

TEST(Budget, TimeIsUsedUpByWhateverTakesTime) {
  Budget budget{.kind = Budget::Kind::kTime, .time = Duration(100)};
  budget.charge_step(Duration(30));
  budget.charge(Duration(20));
  EXPECT_EQ(budget.share(), 0.5);
  EXPECT_FALSE(budget.exhausted());
  budget.charge(Duration(50));
  EXPECT_TRUE(budget.exhausted());
}

TEST(Budget, ShareStaysBetween0And1) {
  EXPECT_EQ((Budget{.steps = 4, .used_steps = 9}.share()), 1.0);
  EXPECT_EQ((Budget{.kind = Budget::Kind::kTime, .time = Duration(10), .used_time = Duration(11)}
                 .share()),
            1.0);
}

TEST(Budget, ALimitOfNothingIsExhausted) {
  EXPECT_TRUE(Budget{}.exhausted());
  EXPECT_TRUE(Budget{.kind = Budget::Kind::kTime}.exhausted());
}

struct RateCase {
  LearningRateRule rule;
  double share;
  double rate;
};

class LearningRate : public testing::TestWithParam<RateCase> {};

TEST_P(LearningRate, FollowsTheShareOfTheBudget) {
  EXPECT_DOUBLE_EQ(GetParam().rule.at(GetParam().share), GetParam().rate);
}

// Peak 8, warm-up over the first fifth, down to a quarter of the peak, which is 2. The fall covers
// the shares 0.2 to 1: share 0.6 is its middle, and 0.4 its first quarter.
constexpr LearningRateRule rule(Shape shape) { return {8.0, shape, 0.2, 0.25}; }

INSTANTIATE_TEST_SUITE_P(
    Rules, LearningRate,
    testing::Values(
        RateCase{rule(Shape::kLinear), 0.0, 0.0}, RateCase{rule(Shape::kLinear), 0.05, 2.0},
        RateCase{rule(Shape::kLinear), 0.2, 8.0},
        RateCase{rule(Shape::kLinear), 0.4, 6.5},  // 8 - (8 - 2)/4
        RateCase{rule(Shape::kLinear), 0.6, 5.0}, RateCase{rule(Shape::kLinear), 1.0, 2.0},
        RateCase{rule(Shape::kLinear), 1.5, 2.0}, RateCase{rule(Shape::kLinear), -1.0, 0.0},
        RateCase{rule(Shape::kCosine), 0.1, 4.0}, RateCase{rule(Shape::kCosine), 0.2, 8.0},
        // 2 + 6 (1 + cos(pi/4))/2 = 5 + 3/sqrt(2)
        RateCase{rule(Shape::kCosine), 0.4, 7.1213203435596428},
        RateCase{rule(Shape::kCosine), 0.6, 5.0}, RateCase{rule(Shape::kCosine), 1.0, 2.0},
        RateCase{rule(Shape::kConstant), 0.1, 4.0}, RateCase{rule(Shape::kConstant), 1.0, 8.0},
        RateCase{{8.0, Shape::kLinear, 0.0, 0.0}, 0.0, 8.0},
        RateCase{{8.0, Shape::kLinear, 0.0, 0.0}, 0.75, 2.0},
        RateCase{{8.0, Shape::kLinear, 1.0, 0.0}, 0.5, 4.0},
        RateCase{{8.0, Shape::kLinear, 1.0, 0.0}, 1.0, 8.0}));

}  // namespace
}  // namespace frostline::pipeline
