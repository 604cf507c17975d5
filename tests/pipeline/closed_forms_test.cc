/// The exact rows for one stage a rank of the project's table of closed forms.
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

/// How much longer the longest rank spans than it computes.
int bubble_ticks(const Schedule& schedule, const EqualStages& times) {
  const int work = times.forward + times.input_gradient + times.weight_gradient;
  const auto cost = longest_path_timeline(lower(schedule), times).cost().count();
  return static_cast<int>(cost) - schedule.shape.micro_batches * work;
}

int bubble_ticks(const char* schedule, int p, int m, const EqualStages& times) {
  return bubble_ticks(make_schedule(schedule, {p, 1, m}), times);
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

TEST(ZeroBubbleClosedForm, H1TakesAThirdLessFromEachRank) {
  for (const EqualStages& times : {EqualStages(1, 1, 1), {10, 12, 8}, {12, 10, 3}, {5, 1, 0}}) {
    for (int p = 1; p <= 8; ++p) {
      for (int m = p; m <= 3 * p; ++m) {
        const int each = times.forward + times.input_gradient - times.weight_gradient;
        EXPECT_EQ(bubble_ticks("zb_h1", p, m, times), (p - 1) * each) << p << " " << m;
      }
    }
  }
}

TEST(ZeroBubbleClosedForm, H2TakesTwoWeightGradientsFromEachRank) {
  for (const EqualStages& times : {EqualStages(1, 1, 1), {10, 12, 8}, {12, 10, 3}, {5, 1, 0}}) {
    for (int p = 1; p <= 8; ++p) {
      for (int m = 2 * p - 1; m <= 4 * p; ++m) {
        const int each = times.forward + times.input_gradient - 2 * times.weight_gradient;
        EXPECT_EQ(bubble_ticks("zb_h2", p, m, times), (p - 1) * each) << p << " " << m;
      }
    }
  }
}

/// The formulas say 1287 and -228.
TEST(ZeroBubbleClosedForm, DoesNotHoldForLongWeightGradients) {
  const EqualStages times(786, 1158, 1515);
  EXPECT_EQ(bubble_ticks("zb_h1", 4, 8, times), 3474);
  EXPECT_EQ(bubble_ticks("zb_h2", 4, 8, times), 1116);
}

TEST(ZeroBubbleClosedForm, FewMicroBatchesLeaveOneWeightGradientAtTheEnd) {
  for (const EqualStages& times : {EqualStages(1, 1, 1), {10, 12, 8}, {12, 10, 3}}) {
    for (int p = 1; p <= 8; ++p) {
      for (int m = 1; m <= p; ++m) {
        const int whole =
            (m + p - 1) * (times.forward + times.input_gradient) + times.weight_gradient;
        EXPECT_EQ(timeline_of("zb_h1", p, m, times).cost(), whole * kTick) << p << " " << m;
      }
    }
  }
}

/// ZB-H2's ranks are busy from their first to their last computation, but end staggered.
TEST(ZeroBubbleClosedForm, H2sStepAsAWholeTakesAsLongAsH1s) {
  for (int p = 1; p <= 8; ++p) {
    for (int m = 2 * p - 1; m <= 4 * p; ++m) {
      const Timeline h2 = timeline_of("zb_h2", p, m, EqualStages());
      EXPECT_EQ(h2.bubble_rate(), 0) << p << " " << m;
      EXPECT_EQ(h2.makespan(), timeline_of("zb_h1", p, m, EqualStages()).makespan());
    }
  }
}

/// Bubble of an order that was searched for with these times.
int searched_bubble_ticks(const char* schedule, int p, int m, const EqualStages& times) {
  ScheduleRequest request(p, 1, m);
  request.stages.assign(static_cast<std::size_t>(p), {times.forward * kTick,
                                                      times.input_gradient * kTick,
                                                      times.weight_gradient * kTick,
                                                      {5},
                                                      {2}});
  return bubble_ticks(make_schedule(schedule, request), times);
}

/// Within the memory of ZB-H1 and of ZB-H2, the search finds nothing longer than them.
TEST(ZeroBubbleClosedForm, SearchedOrdersTakeNoLongerThanTheFormulas) {
  for (const EqualStages& times : {EqualStages(1, 1, 1), {10, 12, 8}, {12, 10, 3}, {5, 1, 0}}) {
    const int each = times.forward + times.input_gradient - times.weight_gradient;
    for (int p = 1; p <= 8; ++p) {
      for (int m = 2 * p - 1; m <= 4 * p; ++m) {
        EXPECT_LE(searched_bubble_ticks("zb_1p", p, m, times), (p - 1) * each) << p << " " << m;
        EXPECT_LE(searched_bubble_ticks("zb_2p", p, m, times),
                  (p - 1) * (each - times.weight_gradient))
            << p << " " << m;
      }
    }
  }
}

/// The most that a rank holds where a micro-batch holds `whole`, and `for_weights` between I and W.
int peak_held(const std::vector<Action>& actions, int whole, int for_weights) {
  int held = 0;
  int peak = 0;
  for (const Action& action : actions) {
    if (action.first().kind == ActionKind::kForward) held += whole;
    if (action.first().kind == ActionKind::kInputGradient) held -= whole - for_weights;
    if (action.first().kind == ActionKind::kWeightGradient) held -= for_weights;
    peak = std::max(peak, held);
  }
  return peak;
}

TEST(ZeroBubbleClosedForm, PeakActivationsOfEachRank) {
  constexpr int kWhole = 5;
  constexpr int kForWeights = 2;
  for (int p = 1; p <= 8; ++p) {
    for (int m = 2 * p - 1; m <= 4 * p; ++m) {
      const Schedule h1 = make_schedule("zb_h1", {p, 1, m});
      const Schedule h2 = make_schedule("zb_h2", {p, 1, m});
      for (int s = 0; s < p; ++s) {
        const auto rank = static_cast<std::size_t>(s);
        EXPECT_EQ(peak_held(h1.actions[rank], kWhole, kForWeights),
                  (p - s) * kWhole + s * kForWeights);
        EXPECT_EQ(peak_held(h2.actions[rank], kWhole, kForWeights),
                  (2 * (p - s) - 1) * kWhole + 2 * s * kForWeights);
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
