#include "pipeline/critical_path.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "pipeline/lower.h"
#include "pipeline/schedules/registry.h"
#include "pipeline/timeline.h"
#include "tests/pipeline/samples.h"

namespace frostline::pipeline {
namespace {

CriticalPath path_of(const Schedule& schedule, const ActionTimes& times) {
  return critical_path(schedule_graph(schedule, times), schedule.shape.ranks);
}

/// "0F0 0-1 | 1F0 +3 4-5": transfer, start and end in ticks.
std::string text_of(const CriticalPath& path) {
  std::string text;
  for (const CriticalStep& step : path.steps) {
    if (!text.empty()) text += " | ";
    text += to_text(step.span.action);
    if (step.transfer > base::Duration{}) text += " +" + std::to_string(step.transfer.count());
    text +=
        " " + std::to_string(step.span.start.count()) + "-" + std::to_string(step.span.end.count());
  }
  return text;
}

// 1W0 runs 7-11 and nothing waits for it: it could end with the step at 16.
TEST(CriticalPath, GoesFromTheStartToTheLastEnd) {
  const auto path =
      path_of(lower(split_backward(make_schedule("gpipe", {2, 1, 1}))), EqualStages(1, 2, 4, 3));
  EXPECT_EQ(text_of(path), "0F0 0-1 | 1F0 +3 4-5 | 1I0 5-7 | 0I0 +3 10-12 | 0W0 12-16");
  EXPECT_EQ(path.makespan(), 16 * kTick);
  EXPECT_EQ(path.time_on({0}), 7 * kTick);
  EXPECT_EQ(path.time_on({1}), 3 * kTick);
  EXPECT_EQ(path.steps_on({0}), 3);
  EXPECT_EQ(path.slack[0], (RankSlack{{}, {}, 3, 3}));
  EXPECT_EQ(path.slack[1], (RankSlack{{}, kTick * 5 / 3, 2, 3}));
}

// Rank 1 has 1F0 9-10 and 1B0 10-12; both would be in time 6 later, before 1F1 18-19.
TEST(CriticalPath, ComputationsBesideThePathHaveSlack) {
  struct SlowFirst : EqualStages {
    base::Duration computation(const Action& action) const override {
      const Step step = action.first();
      return step.stage == StageId{0} ? 9 * kTick : EqualStages::computation(action);
    }
  };
  const auto path =
      path_of(lower(schedule_from({2, 1, 2}, {"0F0 0F1", "1F0 1B0 1F1"})), SlowFirst());
  EXPECT_EQ(text_of(path), "0F0 0-9 | 0F1 9-18 | 1F1 18-19");
  EXPECT_EQ(path.slack[0], (RankSlack{{}, {}, 2, 2}));
  EXPECT_EQ(path.slack[1], (RankSlack{{}, 4 * kTick, 1, 3}));
}

// 1F1 waits for 1F0 and 0F1, which both end at 2; 0B1 for 0B0 and 1B1, which both end at 7.
TEST(CriticalPath, StaysOnARankWhereItCan) {
  const auto path = path_of(lower(make_schedule("gpipe", {2, 1, 2})), EqualStages());
  EXPECT_EQ(text_of(path), "0F0 0-1 | 1F0 1-2 | 1F1 2-3 | 1B0 3-5 | 0B0 5-7 | 0B1 7-9");
}

TEST(CriticalPath, OfNothingIsNothing) {
  const auto path = critical_path(ScheduleGraph(), 2);
  EXPECT_TRUE(path.steps.empty());
  EXPECT_EQ(path.makespan(), base::Duration{});
  EXPECT_EQ(path.slack, (std::vector<RankSlack>(2)));
}

TEST(CriticalPath, ACycleIsAnError) {
  const auto schedule = schedule_from({1, 1, 1}, {"0F0 0W0 0I0"});
  EXPECT_THAT(error_of([&] { path_of(schedule, EqualStages()); }),
              testing::HasSubstr("the schedule has a cycle"));
}

/// Durations and transfers add up to the makespan, and every step of the path is critical.
TEST(CriticalPath, HasNoGaps) {
  for (const auto& kind : schedule_kinds()) {
    const PipelineShape shape{3, 1, 5};
    Schedule schedule;
    try {
      schedule = lower(make_schedule(kind.name, shape));
    } catch (const base::Error&) {
      continue;  // takes other shapes
    }
    const auto path = path_of(schedule, EqualStages(3, 4, 2, 1));
    base::Duration now{};
    for (const CriticalStep& step : path.steps) {
      EXPECT_EQ(step.span.start, now + step.transfer) << kind.name;
      now = step.span.end;
    }
    EXPECT_EQ(now, longest_path_timeline(schedule, EqualStages(3, 4, 2, 1)).makespan());
    for (const Rank rank : base::ids<Rank>(shape.ranks)) {
      EXPECT_LE(path.steps_on(rank), path.slack[rank.index()].critical) << kind.name;
    }
  }
}

}  // namespace
}  // namespace frostline::pipeline
