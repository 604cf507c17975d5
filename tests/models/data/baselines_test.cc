#include "models/data/baselines.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "tests/models/data/series_file.h"

namespace frostline::models {
namespace {

using pipeline::Split;
using ::testing::ElementsAre;

DataSettings regions(const base::Words& series) {
  DataSettings settings;
  settings.file = FROSTLINE_LOAD_CSV;
  settings.series = series;
  settings.validation_stride = 1;
  return settings;
}

std::vector<std::string> names(const std::vector<BaselineScore>& scores) {
  std::vector<std::string> names;
  for (const BaselineScore& score : scores) names.push_back(score.name);
  return names;
}

// Published for three regions, 168 -> 24 hours, 70/10/20 %: 4.21, 5.54 and 3.35 %.
TEST(BaselinesTest, ReproducesTheKnownErrorsOnThreeRegions) {
  const auto scores = baseline_scores(LoadWindows::load(regions({"1", "2", "3"})), Split::kTest);
  ASSERT_THAT(names(scores), ElementsAre("same hour yesterday", "same hour last week", "ridge"));
  EXPECT_NEAR(scores[0].mape, 4.21, 0.005);
  EXPECT_NEAR(scores[1].mape, 5.54, 0.005);
  EXPECT_NEAR(scores[2].mape, 3.35, 0.005);
  EXPECT_EQ(scores[2].detail, "penalty 0.1");
}

// A week that repeats is forecast without error from the same hour last week, and by ridge.
TEST(BaselinesTest, FindsNoErrorInAWeekThatRepeats) {
  const SeriesFile file(168 * 12, [](int h) {
    const double day = std::sin(2 * std::numbers::pi * h / 24);
    return 100 + 10 * day + (h / 24 % 7 < 5 ? 20 : 0);
  });
  const auto scores =
      baseline_scores(LoadWindows::load(file.settings(168, 48)), Split::kValidation);
  EXPECT_GT(scores.at(0).mape, 1.0);
  EXPECT_NEAR(scores.at(1).mape, 0.0, 1e-9);
  EXPECT_LT(scores.at(2).mape, 0.05);
}

// Yesterday over and over: hour h of a series that grows by 1 is off by 24 on the first day of the
// horizon and by 48 on the second.
TEST(BaselinesTest, RepeatsYesterdayOverALongHorizon) {
  const SeriesFile file(600, [](int h) { return 1000.0 + h; });
  DataSettings settings = file.settings(24, 48);
  settings.validation_stride = 1000;  // one test window: targets at hours 480 .. 527
  const auto scores = baseline_scores(LoadWindows::load(settings), Split::kTest);
  double expected = 0;
  for (int h = 0; h < 48; ++h) expected += 100.0 / 48 * (h < 24 ? 24 : 48) / (1480 + h);
  EXPECT_NEAR(scores.at(0).mape, expected, 1e-9);
}

TEST(BaselinesTest, LeavesOutWhatReachesBackBeyondTheContext) {
  const SeriesFile file(600, [](int h) { return 1000.0 + h % 7; });
  EXPECT_THAT(names(baseline_scores(LoadWindows::load(file.settings(48, 24)), Split::kTest)),
              ElementsAre("same hour yesterday", "ridge"));
  EXPECT_THAT(names(baseline_scores(LoadWindows::load(file.settings(12, 24)), Split::kTest)),
              ElementsAre("ridge"));
}

}  // namespace
}  // namespace frostline::models
