#include "models/torch/batch.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "models/forecaster.h"
#include "tests/models/data/series_file.h"

namespace frostline::models {
namespace {

using ::testing::ElementsAre;
using ::testing::FloatNear;
using ::testing::Pointwise;

std::vector<float> row(const at::Tensor& values) {
  const auto* first = values.const_data_ptr<float>();
  return {first, first + values.numel()};
}

/// Mean 100 and deviation 10 in every part.
double load(int hour) { return hour % 2 == 0 ? 90 : 110; }

TEST(BatchTest, NormalisesContextAndTarget) {
  const SeriesFile file(400, load);
  const LoadWindows data = LoadWindows::load(file.settings(4, 2));
  const std::vector<Window> windows{{0, 10}, {0, 11}};
  const BatchTensors batch = make_batch(data, windows, 2);
  EXPECT_THAT(batch.context.sizes().vec(), ElementsAre(2, 4));
  EXPECT_THAT(row(batch.context[0]), ElementsAre(-1, 1, -1, 1));
  EXPECT_THAT(row(batch.context[1]), ElementsAre(1, -1, 1, -1));
  EXPECT_THAT(batch.target.sizes().vec(), ElementsAre(2, 2));
  EXPECT_THAT(row(batch.target[1]), ElementsAre(1, -1));
}

// Two patches of 6 hours from hour 24 * 8 + 12 on: noon, then six in the evening, of the second day
// of the week: sine and cosine of half and of three quarters of a turn, and of a seventh.
TEST(BatchTest, TellsEachTokenItsHourAndDay) {
  const SeriesFile file(400, load);
  const LoadWindows data = LoadWindows::load(file.settings(12, 2));
  const std::vector<Window> windows{{0, 24 * 8 + 12}};
  const BatchTensors batch = make_batch(data, windows, 6);
  EXPECT_THAT(batch.calendar.sizes().vec(), ElementsAre(1, 2, kCalendarFeatures));
  EXPECT_THAT(row(batch.calendar),
              Pointwise(FloatNear(1e-6F), {0.0F, -1.0F, 0.7818315F, 0.6234898F,  //
                                           -1.0F, 0.0F, 0.7818315F, 0.6234898F}));
}

TEST(BatchTest, NormalisesEachSeriesByItself) {
  base::TemporaryFolder folder;
  std::string text = "one,two\n";
  for (int h = 0; h < 100; ++h) {
    text += std::to_string(load(h)) + "," + std::to_string(7 * load(h)) + "\n";
  }
  base::write_file_atomically(folder / "load.csv", text);
  DataSettings settings;
  settings.file = folder / "load.csv";
  settings.series = {"one", "two"};
  settings.context = 4;
  settings.horizon = 2;
  const std::vector<Window> windows{{0, 10}, {1, 10}};
  const BatchTensors batch = make_batch(LoadWindows::load(settings), windows, 2);
  EXPECT_THAT(row(batch.context[0]), ElementsAre(-1, 1, -1, 1));
  EXPECT_THAT(row(batch.context[1]), ElementsAre(-1, 1, -1, 1));
}

}  // namespace
}  // namespace frostline::models
