/// The exact rows for GPipe and 1F1B of the project's table of closed forms.
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>

#include "pipeline/lower.h"
#include "pipeline/schedules/registry.h"
#include "pipeline/timeline.h"
#include "tests/pipeline/samples.h"

namespace frostline::pipeline {
namespace {

const std::vector<EqualStages>& stage_times() {
  static const std::vector<EqualStages> times{{1, 1, 1}, {10, 12, 8}, {786, 1158, 1515}, {5, 1, 0}};
  return times;
}

Timeline timeline_of(const char* schedule, int p, int m, const ActionTimes& times) {
  return longest_path_timeline(lower(make_schedule(schedule, {p, 1, m})), times);
}

class ClosedForm : public testing::TestWithParam<const char*> {};

TEST_P(ClosedForm, BubbleTimeIsThatOfOneMicroBatchOnTheOtherRanks) {
  for (const EqualStages& times : stage_times()) {
    const int stage = times.forward + times.input_gradient + times.weight_gradient;
    for (int p = 1; p <= 8; ++p) {
      for (int m = 1; m <= 2 * p; ++m) {
        const Timeline timeline = timeline_of(GetParam(), p, m, times);
        EXPECT_EQ(timeline.cost(), (m + p - 1) * stage * kTick) << "p = " << p << ", m = " << m;
        EXPECT_EQ(timeline.makespan(), timeline.cost());
        EXPECT_NEAR(timeline.bubble_rate(), (p - 1.0) / (m + p - 1), 1e-12);
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Both, ClosedForm, testing::Values("gpipe", "1f1b"));

TEST(ClosedForm1F1B, LatencyAddsRoundTripsWherePDividesM) {
  for (int p = 2; p <= 8; ++p) {
    for (int m = p; m <= 4 * p; m += p) {
      for (const int c : {1, 3, 10}) {
        const auto without = timeline_of("1f1b", p, m, EqualStages(10, 10, 10)).makespan();
        const auto with = timeline_of("1f1b", p, m, EqualStages(10, 10, 10, c)).makespan();
        EXPECT_EQ(with - without, c * (2 * (p - 1) * m / p + 2 * (p - 2)) * kTick)
            << "p = " << p << ", m = " << m << ", c = " << c;
      }
    }
  }
}

/// Two ranks, 8 micro-batches, 8 equal blocks, of which `frozen` lead.
int half_frozen_ticks(const Partition& partition, int frozen) {
  const UnitTable units = UnitTable::of_layers(8);
  const Plan plan{make_schedule("1f1b", {2, 1, 8}), partition,
                  FreezePlan(freeze_leading_layers(units, frozen)), Cut::kPrefix};
  const auto timeline =
      longest_path_timeline(executable_schedule(plan, units), EqualLayers(plan, units));
  return static_cast<int>(timeline.makespan().count());
}

TEST(FrozenPrefix, HalfOfItSavesLittleWithTheStagesAsTheyWere) {
  EXPECT_EQ(half_frozen_ticks(Partition({4, 4}), 0), 108);  // (8 + 2 - 1) 12
  EXPECT_EQ(half_frozen_ticks(Partition({4, 4}), 4), 100);  // 4 + 8 x 12
}

TEST(FrozenPrefix, HalfOfItSavesAQuarterWithTheBestSplit) {
  int best = std::numeric_limits<int>::max();
  for (int first = 1; first < 8; ++first) {
    best = std::min(best, half_frozen_ticks(Partition({first, 8 - first}), 4));
  }
  EXPECT_EQ(best, 79);
  EXPECT_EQ(half_frozen_ticks(Partition({5, 3}), 4), 79);  // 5 + 8 x 9 + 2
}

}  // namespace
}  // namespace frostline::pipeline
