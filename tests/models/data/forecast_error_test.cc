#include "models/data/forecast_error.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>

namespace frostline::models {
namespace {

TEST(MeanAbsolutePercentageErrorTest, IsNotANumberBeforeAnythingWasAdded) {
  EXPECT_TRUE(std::isnan(MeanAbsolutePercentageError().percent()));
}

TEST(MeanAbsolutePercentageErrorTest, WeighsEveryValueAlike) {
  // 10 %, 5 % and 0 % in one forecast, 25 % in another: 40 % over 4 values.
  MeanAbsolutePercentageError error;
  error.add(std::array{110.0, 190.0, 50.0}, std::array{100.0, 200.0, 50.0});
  error.add(std::array{75.0}, std::array{100.0});
  EXPECT_DOUBLE_EQ(error.percent(), 10.0);
}

TEST(MeanAbsolutePercentageErrorTest, TakesNegativeTargetsByTheirSize) {
  MeanAbsolutePercentageError error;
  error.add(std::array{-90.0}, std::array{-100.0});
  EXPECT_DOUBLE_EQ(error.percent(), 10.0);
}

}  // namespace
}  // namespace frostline::models
