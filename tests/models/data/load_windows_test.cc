#include "models/data/load_windows.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "tests/base/throws.h"
#include "tests/models/data/series_file.h"

namespace frostline::models {
namespace {

using pipeline::Split;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::vector<int> starts(std::span<const Window> windows) {
  std::vector<int> starts;
  for (const Window& window : windows) starts.push_back(window.start);
  return starts;
}

// 20 hours at 70/10/20 %: training 0..13, validation 14..15, test 16..19. A window is 3 + 2 hours.
TEST(LoadWindowsTest, CutsByTimeWithTargetsInsideTheirPart) {
  const SeriesFile file(20, [](int h) { return 100.0 + h; });
  DataSettings settings = file.settings(3, 2);
  settings.validation_stride = 1;
  const LoadWindows windows = LoadWindows::load(settings);
  EXPECT_THAT(starts(windows.training()), ElementsAre(0, 1, 2, 3, 4, 5, 6, 7, 8, 9));
  EXPECT_THAT(starts(windows.held_out(Split::kValidation)), ElementsAre(11));
  EXPECT_THAT(starts(windows.held_out(Split::kTest)), ElementsAre(13, 14, 15));
  EXPECT_THAT(windows.context_of({0, 13}), ElementsAre(113, 114, 115));
  EXPECT_THAT(windows.target_of({0, 13}), ElementsAre(116, 117));
}

TEST(LoadWindowsTest, TakesStridesFromTheFirstWindowOfEachPart) {
  const SeriesFile file(20, [](int h) { return 100.0 + h; });
  DataSettings settings = file.settings(3, 2);
  settings.stride = 4;
  settings.validation_stride = 2;
  const LoadWindows windows = LoadWindows::load(settings);
  EXPECT_THAT(starts(windows.training()), ElementsAre(0, 4, 8));
  EXPECT_THAT(starts(windows.held_out(Split::kTest)), ElementsAre(13, 15));
}

TEST(LoadWindowsTest, DoesNotLoseAnHourToRounding) {
  // 0.7 + 0.1 is a little less than 0.8, which still is 80 of 100 hours.
  const SeriesFile file(100, [](int h) { return 100.0 + h; });
  const LoadWindows windows = LoadWindows::load(file.settings(3, 2));
  EXPECT_EQ(windows.held_out(Split::kTest).front(), (Window{0, 77}));
}

TEST(LoadWindowsTest, NormalisesByTheTrainingPartAlone) {
  // 1, 3, 1, 3, ... in training: mean 2, deviation 1; what comes later does not count.
  const SeriesFile file(20, [](int h) { return h < 14 ? 1.0 + 2 * (h % 2) : 1000.0; });
  const LoadWindows windows = LoadWindows::load(file.settings(3, 2));
  EXPECT_DOUBLE_EQ(windows.mean(0), 2.0);
  EXPECT_DOUBLE_EQ(windows.deviation(0), 1.0);
}

TEST(LoadWindowsTest, OrdersBySeriesThenTime) {
  const SeriesFile file(20, [](int h) { return 100.0 + h; });
  DataSettings settings = file.settings(3, 2);
  settings.series = {"load", "hour"};
  settings.stride = 8;
  const std::string fault = base::message_of([&] { LoadWindows::load(settings); });
  EXPECT_THAT(fault, HasSubstr("load.csv:2: the load in column 'hour' is 0"));
  settings.series = {"load", "load"};
  const LoadWindows windows = LoadWindows::load(settings);
  EXPECT_THAT(windows.training(),
              ElementsAre(Window{0, 0}, Window{0, 8}, Window{1, 0}, Window{1, 8}));
}

TEST(LoadWindowsTest, RefusesASeriesTooShortForAPart) {
  const SeriesFile file(20, [](int h) { return 100.0 + h; });
  EXPECT_THAT(base::message_of([&] { LoadWindows::load(file.settings(3, 3)); }),
              HasSubstr("load.csv: 20 rows leave 2 hours for the validation part, too few for one "
                        "window (context 3 + horizon 3); use more rows"));
  EXPECT_THAT(base::message_of([&] { LoadWindows::load(file.settings(13, 2)); }),
              HasSubstr("14 hours for the training part"));
}

TEST(LoadWindowsTest, RefusesASeriesThatDoesNotVary) {
  const SeriesFile file(20, [](int) { return 100.0; });
  EXPECT_THAT(base::message_of([&] { LoadWindows::load(file.settings(3, 2)); }),
              HasSubstr("column 'load' has one and the same value"));
}

RC_GTEST_PROP(LoadWindowsTest, KeepsEveryTargetInItsPartAndUsesEveryHour, ()) {
  const int hours = *rc::gen::inRange(200, 400);
  const int context = *rc::gen::inRange(1, 50);
  const int horizon = *rc::gen::inRange(1, 20);
  const SeriesFile file(hours, [](int h) { return 100.0 + h; });
  DataSettings settings = file.settings(context, horizon);
  settings.stride = *rc::gen::inRange(1, 30);
  settings.validation_stride = 1;
  const LoadWindows windows = LoadWindows::load(settings);
  const int validation = windows.held_out(Split::kValidation).front().start + context;
  const int test = windows.held_out(Split::kTest).front().start + context;
  for (const Window& window : windows.training()) {
    RC_ASSERT(window.start + context + horizon <= validation);
    RC_ASSERT(window.start % settings.stride == 0);
  }
  RC_ASSERT(windows.held_out(Split::kValidation).back().start + context + horizon == test);
  RC_ASSERT(windows.held_out(Split::kTest).back().start + context + horizon == hours);
  RC_ASSERT(windows.training().back().start + context + horizon + settings.stride > validation);
}

}  // namespace
}  // namespace frostline::models
