#include "cost/long_run.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>

#include "tests/base/throws.h"

namespace frostline::cost {
namespace {

using base::Duration;
using std::chrono::hours;
using std::chrono::minutes;
using std::chrono::seconds;
using ::testing::AllOf;
using ::testing::HasSubstr;

constexpr double kNever = std::numeric_limits<double>::infinity();

/// A day of work, a checkpoint of a minute every hour, 5 minutes until the run goes on.
LongRun a_day(double mtbf_s) {
  return {hours(24), hours(1), minutes(1), minutes(1), minutes(4), mtbf_s};
}

TEST(JobMtbf, FallsWithTheNumberOfDevices) {
  ClusterSettings settings;
  EXPECT_EQ(job_mtbf_s(settings, 8), kNever);
  settings.failure_mtbf_h = 1000;
  EXPECT_EQ(job_mtbf_s(settings, 1), 3.6e6);
  EXPECT_EQ(job_mtbf_s(settings, 100), 36'000);
}

TEST(ExpectedTime, WithoutFailuresIsWorkAndCheckpoints) {
  EXPECT_EQ(expected_time(a_day(kNever)), hours(24) + minutes(24));
  EXPECT_DOUBLE_EQ(goodput(a_day(kNever)), 60.0 / 61);
}

// The last interval may be shorter: 24 h in intervals of 5 h are five segments.
TEST(ExpectedTime, EndsWithAShorterInterval) {
  LongRun run = a_day(kNever);
  run.interval = hours(5);
  EXPECT_EQ(expected_time(run), hours(24) + minutes(5));
  run.interval = hours(100);
  EXPECT_EQ(expected_time(run), hours(24) + minutes(1));
}

// One segment of t = mtbf without detection and restart: M (e - 1); with r = M ln 2 twice that.
TEST(ExpectedTime, OfOneSegmentByHand) {
  LongRun run{seconds(900), seconds(900), seconds(100), {}, {}, 1000};
  EXPECT_NEAR(base::to_seconds(expected_time(run)), 1000 * (std::exp(1.0) - 1), 1e-8);
  run.detection = base::from_ms(1e6 * std::log(2.0) / 2);
  run.restart = run.detection;
  EXPECT_NEAR(base::to_seconds(expected_time(run)), 2000 * (std::exp(1.0) - 1), 1e-5);
}

// Three segments of 10 s and one of 5 s, each with a checkpoint of 1 s, mtbf 50 s, r = 3 s.
TEST(ExpectedTime, AddsUpSegments) {
  const LongRun run{seconds(35), seconds(10), seconds(1), seconds(1), seconds(2), 50};
  const double sum = 3 * std::expm1(11.0 / 50) + std::expm1(6.0 / 50);
  EXPECT_NEAR(base::to_seconds(expected_time(run)), 50 * std::exp(3.0 / 50) * sum, 1e-8);
}

// With x = t/M small a segment takes t (1 + x/2) to first order: half a segment is lost a failure.
TEST(ExpectedTime, OfRareFailures) {
  const LongRun run{hours(1000), hours(1), {}, {}, {}, 1e4 * 3600};
  EXPECT_NEAR(base::to_seconds(expected_time(run)) / 3600, 1000 * (1 + 0.5e-4), 1e-5);
}

TEST(ExpectedTime, RefusesWhatTheClockCannotShow) {
  LongRun run = a_day(60);
  run.interval = hours(24);
  EXPECT_THAT(base::message_of([&] { (void)expected_time(run); }),
              AllOf(HasSubstr("24 h 0 min of work take more than 146 years with a failure every 60 "
                              "s, a checkpoint every 24 h 0 min and 5 min 0 s until the run goes "
                              "on; use a larger cluster.failure_mtbf_h, fewer devices")));
  EXPECT_THAT(base::message_of([&] { (void)goodput(a_day(1e-300)); }),
              HasSubstr("use a larger cluster.failure_mtbf_h"));
}

TEST(DrawTime, WithoutFailuresIsExpected) {
  EXPECT_EQ(draw_time(a_day(kNever), 1), (DrawnRun{expected_time(a_day(kNever)), 0, {}}));
}

TEST(DrawTime, IsTheSameForTheSameSeedAndIndex) {
  const LongRun run = a_day(7200);
  EXPECT_EQ(draw_time(run, 1, 2), draw_time(run, 1, 2));
  EXPECT_NE(draw_time(run, 1, 2), draw_time(run, 1, 3));
  EXPECT_NE(draw_time(run, 1, 2), draw_time(run, 2, 2));
}

TEST(DrawTime, RefusesTooManyFailures) {
  const LongRun run{hours(24 * 365 * 100), base::Duration(1000), {}, {}, {}, 1};
  EXPECT_THAT(base::message_of([&] { (void)draw_time(run, 1); }),
              HasSubstr("3.154e+09 failures are too many to draw one by one"));
}

// Every failure costs at least detection and restart; what else is not work was computed for a
// checkpoint that failed, at most one a failure.
TEST(DrawTime, AddsUp) {
  const LongRun run{hours(24), minutes(7), minutes(1), {}, {}, 1800};
  const Duration useful = hours(24) + 206 * minutes(1);
  for (std::uint32_t index = 0; index < 200; ++index) {
    const DrawnRun drawn = draw_time(run, 5, index);
    EXPECT_GE(drawn.time, useful + drawn.lost_work - Duration(drawn.failures));
    EXPECT_LE(drawn.time, useful + drawn.lost_work + drawn.failures * Duration(minutes(1)) +
                              Duration(drawn.failures));
    EXPECT_LE(drawn.lost_work, drawn.failures * Duration(minutes(7)));
  }
}

struct Figure {
  double sum = 0;
  double squares = 0;
  int count = 0;

  void add(double value) {
    sum += value;
    squares += value * value;
    ++count;
  }
  double mean() const { return sum / count; }
  double standard_error() const {
    return std::sqrt((squares / count - mean() * mean()) / (count - 1));
  }
};

class DrawnMean : public ::testing::TestWithParam<LongRun> {};

TEST_P(DrawnMean, IsTheExpectedTime) {
  constexpr std::uint32_t kRuns = 4000;
  Figure times;
  Figure failures;
  for (std::uint32_t index = 0; index < kRuns; ++index) {
    const DrawnRun drawn = draw_time(GetParam(), 11, index);
    times.add(base::to_seconds(drawn.time));
    failures.add(static_cast<double>(drawn.failures));
  }
  const double expected = base::to_seconds(expected_time(GetParam()));
  EXPECT_NEAR(times.mean(), expected, 3 * times.standard_error());
  // Failures come at any time, so their mean is the mean time's (Wald's equation).
  EXPECT_NEAR(failures.mean(), expected / GetParam().mtbf_s, 3 * failures.standard_error());
}

INSTANTIATE_TEST_SUITE_P(
    LongRun, DrawnMean,
    ::testing::Values(a_day(1e6), a_day(36'000), a_day(3600), a_day(1800),
                      LongRun{hours(24), hours(5), minutes(1), {}, minutes(10), 7200},
                      LongRun{seconds(100), seconds(1), {}, seconds(3), {}, 1},
                      LongRun{seconds(35), seconds(10), seconds(1), seconds(1), seconds(2), 50}));

TEST(BestInterval, IsNearYoungs) {
  for (const double mtbf_s : {1e5, 1e6, 1e8}) {
    const LongRun run{hours(24 * 365), hours(1), minutes(1), minutes(1), minutes(4), mtbf_s};
    const double young = std::sqrt(2 * 60 * mtbf_s);
    const double best = base::to_seconds(best_interval(run).value());
    EXPECT_NEAR(best / young, 1, std::sqrt(60 / mtbf_s)) << mtbf_s;
    EXPECT_LT(best, young) << mtbf_s;  // Young leaves out what makes longer intervals costlier
  }
}

TEST(BestInterval, IsTheWholeWorkWithoutFailures) {
  EXPECT_EQ(best_interval(a_day(kNever)), Duration(hours(24)));
  EXPECT_EQ(best_interval(a_day(1e12)), Duration(hours(24)));
}

TEST(BestInterval, IsNotThereIfCheckpointsAreFree) {
  LongRun run = a_day(3600);
  run.checkpoint = {};
  EXPECT_EQ(best_interval(run), std::nullopt);
}

TEST(BestInterval, NoOtherIsBetter) {
  for (const double mtbf_s : {600.0, 3600.0, 1e5, 1e6, 1e7}) {
    LongRun best = a_day(mtbf_s);
    best.interval = best_interval(best).value();
    LongRun other = best;
    for (other.interval = seconds(20); other.interval <= best.work;
         other.interval += other.interval / 50) {
      EXPECT_LE(expected_time(best) - Duration(1000), expected_time(other)) << mtbf_s;
      if (base::to_seconds(other.interval) > 10 * mtbf_s) break;  // beyond it takes years
    }
  }
}

TEST(BestInterval, DoesNotDependOnTheOneGiven) {
  LongRun run = a_day(3600);
  const auto best = best_interval(run);
  run.interval = seconds(1);
  EXPECT_EQ(best_interval(run), best);
}

}  // namespace
}  // namespace frostline::cost
