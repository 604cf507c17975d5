#include "pipeline/timeline.h"

#include <gtest/gtest.h>

#include "pipeline/lower.h"
#include "pipeline/schedules/registry.h"
#include "tests/pipeline/samples.h"

namespace frostline::pipeline {
namespace {

Span span(int rank, const char* action, int start, int end) {
  return {{rank}, parse_action(action), start * kTick, end * kTick};
}

// Rank 0 works 3 of 3..13, rank 1 works 6 of 4..10, rank 2 does nothing.
Timeline uneven() {
  return {
      3,
      {span(0, "0F0", 3, 4), span(0, "0B0", 11, 13), span(1, "1F0", 4, 6), span(1, "1B0", 6, 10)}};
}

TEST(Timeline, MeasuresSpansByTheirEnds) {
  const Timeline timeline = uneven();
  EXPECT_EQ(timeline.makespan(), 10 * kTick);
  EXPECT_EQ(timeline.busy({0}), 3 * kTick);
  EXPECT_EQ(timeline.busy({2}), 0 * kTick);
  EXPECT_EQ(timeline.rank_span({0}), 10 * kTick);
  EXPECT_EQ(timeline.rank_span({1}), 6 * kTick);
  EXPECT_EQ(timeline.rank_span({2}), 0 * kTick);
  EXPECT_EQ(timeline.cost(), 10 * kTick);
}

TEST(Timeline, BubbleIsWhatIsIdleOfTheCost) {
  EXPECT_DOUBLE_EQ(uneven().bubble_rate({0}), 0.7);
  EXPECT_DOUBLE_EQ(uneven().bubble_rate({1}), 0.4);
  EXPECT_DOUBLE_EQ(uneven().bubble_rate({2}), 1.0);
  EXPECT_DOUBLE_EQ(uneven().bubble_rate(), 0.7);  // 1 - 9/30
}

TEST(Timeline, CostIsARanksOwnSpanNotTheMakespan) {
  const Timeline staggered{2, {span(0, "0F0", 0, 4), span(1, "1F0", 2, 6)}};
  EXPECT_EQ(staggered.makespan(), 6 * kTick);
  EXPECT_EQ(staggered.cost(), 4 * kTick);
  EXPECT_EQ(staggered.bubble_rate(), 0.0);
}

TEST(Timeline, OfNothingIsZero) {
  const Timeline nothing{2, {}};
  EXPECT_EQ(nothing.makespan(), 0 * kTick);
  EXPECT_EQ(nothing.bubble_rate({0}), 0.0);
  EXPECT_EQ(nothing.bubble_rate(), 0.0);
  EXPECT_EQ(nothing.text(kTick), "rank 0\nrank 1\n");
}

TEST(Timeline, TextIsInTheUnitAsked) {
  EXPECT_EQ(uneven().text(2 * kTick),
            "rank 0 | 0F0 1.5-2 | 0B0 5.5-6.5\n"
            "rank 1 | 1F0 2-3 | 1B0 3-5\n"
            "rank 2\n");
}

TEST(LongestPathTimeline, IsThatOfTheSchedule) {
  const auto timeline =
      longest_path_timeline(lower(make_schedule("1f1b", {2, 1, 2})), EqualStages());
  EXPECT_EQ(timeline.text(kTick),
            "rank 0 | 0F0 0-1 | 0F1 1-2 | 0B0 4-6 | 0B1 7-9\n"
            "rank 1 | 1F0 1-2 | 1B0 2-4 | 1F1 4-5 | 1B1 5-7\n");
}

}  // namespace
}  // namespace frostline::pipeline
