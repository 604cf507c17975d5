#include "policy/ledger.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "tests/base/throws.h"

namespace frostline::policy {
namespace {

using base::message_of;
using pipeline::Change;
using pipeline::StatisticsOrder;
using pipeline::UnitId;
using pipeline::UnitStatistics;
using testing::HasSubstr;

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

StatisticsOrder order_of(std::vector<UnitId> units, Change change, double theta1) {
  return {std::move(units), change, theta1};
}

/// One row a step, one column a unit.
using Gradients = std::vector<std::vector<double>>;

std::vector<UnitStatistics> play(Ledger& ledger, const StatisticsOrder& order,
                                 const Gradients& steps) {
  ledger.begin(order);
  for (const auto& step : steps) {
    std::vector<GradientSample> samples;
    for (const double gradient : step) samples.push_back({gradient, 0});
    ledger.observe(samples);
  }
  return ledger.finish();
}

std::vector<UnitStatistics> play(const StatisticsOrder& order, const Gradients& steps) {
  Ledger ledger;
  return play(ledger, order, steps);
}

// g = 4, 2, 3, 3: c = 2/4, 1/2, 0. Only what is below theta1 is small, and every step counts.
TEST(RelativeChange, IsCountedFromTheSecondStepWhereThereIsNoStepBefore) {
  const auto order = order_of({{0}}, Change::kRelative, 0.5);
  const auto unit = play(order, {{4}, {2}, {3}, {3}}).at(0);
  EXPECT_EQ(unit.mean_gradient, 3.0);
  EXPECT_DOUBLE_EQ(unit.small_changes, 1.0 / 3);
  EXPECT_DOUBLE_EQ(unit.change, 1.0 / 3);
  EXPECT_TRUE(unit.finite);
}

// The second judging step starts from g_0 = 2: c = 1/2, 1/3, 0, 1/4; three of four are below 0.5.
TEST(RelativeChange, TakesTheFirstStepFromTheJudgingStepBefore) {
  const auto order = order_of({{0}}, Change::kRelative, 0.5);
  Ledger ledger;
  play(ledger, order, {{4}, {2}});
  const auto unit = play(ledger, order, {{3}, {2}, {2}, {2.5}}).at(0);
  EXPECT_EQ(unit.small_changes, 0.75);
  EXPECT_DOUBLE_EQ(unit.change, (0.5 + 1.0 / 3 + 0 + 0.25) / 4);
}

// Published code has added changes up with their signs, so that a gradient that jumps up and down
// by half looked settled: 2, 1, 2, 1 changes by 1/2, 1, 1/2.
TEST(RelativeChange, OfOppositeSignsDoesNotCancel) {
  const auto unit = play(order_of({{0}}, Change::kRelative, 0.4), {{2}, {1}, {2}, {1}}).at(0);
  EXPECT_EQ(unit.small_changes, 0.0);
  EXPECT_DOUBLE_EQ(unit.change, 2.0 / 3);
}

// Below 1e-12 the gradient before counts as 1e-12.
TEST(RelativeChange, OfATinyGradientStaysFinite) {
  const auto unit = play(order_of({{0}}, Change::kRelative, 0.6), {{1e-13}, {6e-13}}).at(0);
  EXPECT_DOUBLE_EQ(unit.change, 0.5);
  EXPECT_EQ(unit.small_changes, 1.0);
}

// The logarithms change by 0, 1, 2, 3 and 10. Of an even number of others the median is the mean of
// the two in the middle: 2.5 for the first, 2.5 for the second (0 2 3 10), 2, 1.5, 1.5.
TEST(CommonChange, IsTheDistanceFromTheMedianOfTheOthers) {
  std::vector<double> after;
  for (const double change : {0.0, 1.0, 2.0, 3.0, 10.0}) after.push_back(std::exp(change));
  const auto order = order_of({{0}, {1}, {2}, {3}, {4}}, Change::kCommon, 1.6);
  const auto units = play(order, {{1, 1, 1, 1, 1}, after});
  const double expected[] = {2.5, 1.5, 0, 1.5, 8.5};
  for (std::size_t i = 0; i < 5; ++i) {
    EXPECT_NEAR(units[i].change, expected[i], 1e-12) << i;
    EXPECT_EQ(units[i].small_changes, expected[i] < 1.6 ? 1.0 : 0.0) << i;
  }
}

// All gradients halve; that is common to all and no change of anyone's.
TEST(CommonChange, LeavesOutWhatAllUnitsHaveInCommon) {
  const auto order = order_of({{0}, {1}, {2}, {3}}, Change::kCommon, 1e-9);
  for (const auto& unit : play(order, {{8, 4, 2, 1}, {4, 2, 1, 0.5}, {2, 1, 0.5, 0.25}})) {
    EXPECT_EQ(unit.small_changes, 1.0);
  }
}

// Three units have two others each. Relative: |1 - 2| / 2; common would be 0.
TEST(CommonChange, WithFewerThanThreeOthersIsRelative) {
  const auto order = order_of({{0}, {1}, {2}}, Change::kCommon, 0.1);
  for (const auto& unit : play(order, {{2, 2, 2}, {1, 1, 1}})) EXPECT_EQ(unit.change, 0.5);
}

// The fifth unit's gradient is zero at the second step: it has no change there, and the others'
// medians are over three.
TEST(CommonChange, LeavesUnitsWithoutAChangeOutOfTheMedian) {
  const auto order = order_of({{0}, {1}, {2}, {3}, {4}}, Change::kCommon, 0.1);
  const double e = std::exp(1.0);
  const auto units = play(order, {{1, 1, 1, 1, 1}, {1, e, e, e * e, 0}});
  EXPECT_NEAR(units[0].change, 1.0, 1e-12);
  EXPECT_NEAR(units[1].change, 0.0, 1e-12);
  EXPECT_NEAR(units[3].change, 1.0, 1e-12);
  EXPECT_FALSE(units[4].finite);
  EXPECT_TRUE(units[0].finite);
}

// A unit leaves, another one comes, and the rest changes places: g_0 belongs to the unit, not to
// its place. Unit 7 goes on from 2 to 3 (c = 1/2), unit 5 from 8 to 8, unit 9 has no step before.
TEST(Ledger, KeepsTheLastGradientByUnitNotByPlace) {
  Ledger ledger;
  play(ledger, order_of({{1}, {5}, {7}}, Change::kRelative, 0.1), {{4, 8, 2}});
  const auto units = play(ledger, order_of({{7}, {9}, {5}}, Change::kRelative, 0.1), {{3, 1, 8}});
  EXPECT_EQ(units[0].unit, UnitId{7});
  EXPECT_EQ(units[0].change, 0.5);
  EXPECT_FALSE(units[1].finite);
  EXPECT_EQ(units[2].change, 0.0);
  EXPECT_EQ(units[2].small_changes, 1.0);
}

// Unit 0 was not observed in between, as after a thaw: one change, from the second step.
TEST(Ledger, ForgetsTheLastGradientOfAUnitThatWasNotObserved) {
  Ledger ledger;
  const auto both = order_of({{0}, {1}}, Change::kRelative, 0.1);
  play(ledger, both, {{1, 1}});
  play(ledger, order_of({{1}}, Change::kRelative, 0.1), {{1}});
  const auto units = play(ledger, both, {{100, 1}, {100, 2}});
  EXPECT_EQ(units[0].small_changes, 1.0);
  EXPECT_EQ(units[1].small_changes, 0.5);
}

TEST(Ledger, MarksGradientsOfWhichNothingCanBeSaid) {
  const auto order = order_of({{0}, {1}}, Change::kRelative, 0.1);
  for (const double bad : {0.0, kNaN, kInfinity, -1.0}) {
    const auto units = play(order, {{1, 1}, {bad, 1}, {1, 1}});
    EXPECT_FALSE(units[0].finite) << bad;
    EXPECT_TRUE(std::isfinite(units[0].mean_gradient)) << bad;
    EXPECT_TRUE(std::isfinite(units[0].change)) << bad;
    EXPECT_TRUE(units[1].finite) << bad;
    EXPECT_EQ(units[1].small_changes, 1.0) << bad;
  }
}

// A dead unit's gradient does not change at all, which must not look like rest.
TEST(Ledger, MarksAGradientThatIsAlwaysZero) {
  for (const Change change : {Change::kRelative, Change::kCommon}) {
    const auto unit = play(order_of({{0}}, change, 0.1), {{0}, {0}, {0}}).at(0);
    EXPECT_FALSE(unit.finite);
    EXPECT_EQ(unit.mean_gradient, 0.0);
  }
}

// The mark is for one judging step; the next one has no g_0 from it: c = 1/2 at the second step
// alone.
TEST(Ledger, RecoversInTheNextJudgingStep) {
  Ledger ledger;
  const auto order = order_of({{0}}, Change::kRelative, 0.1);
  play(ledger, order, {{1}, {kNaN}});
  const auto unit = play(ledger, order, {{1}, {1.5}}).at(0);
  EXPECT_TRUE(unit.finite);
  EXPECT_EQ(unit.change, 0.5);
}

TEST(Ledger, OfOneStepNeedsAStepBefore) {
  Ledger ledger;
  const auto order = order_of({{0}}, Change::kRelative, 0.1);
  EXPECT_FALSE(play(ledger, order, {{2}}).at(0).finite);
  const auto unit = play(ledger, order, {{2}}).at(0);
  EXPECT_TRUE(unit.finite);
  EXPECT_EQ(unit.small_changes, 1.0);
}

TEST(Ledger, MarksSumsThatOverflow) {
  const auto unit = play(order_of({{0}}, Change::kRelative, 0.1), {{1e308}, {1e308}}).at(0);
  EXPECT_FALSE(unit.finite);
  EXPECT_TRUE(std::isfinite(unit.mean_gradient));
}

struct Drift {
  const char* what;
  std::vector<double> squared_norms;
  double squared_norm_of_sum;
  double drift;
  bool finite;
};

// Gradients of norm 2 over four steps: the same each time (sum of norm 8), at right angles (norm
// 4), to and fro (0).
TEST(DriftChange, TellsTravelFromNoiseFromOscillation) {
  const Drift cases[] = {
      {"travel", {4, 4, 4, 4}, 64, 2, true},
      {"noise", {4, 4, 4, 4}, 16, 1, true},
      {"oscillation", {4, 4, 4, 4}, 0, 0, true},
      {"one step", {4}, 4, 1, false},
      {"nothing", {0, 0}, 0, 0, false},
      {"overflow", {kInfinity, 4}, 4, 1, false},
      {"a sum that is no number", {4, 4}, kNaN, 0, false},
  };
  for (const Drift& one : cases) {
    Ledger ledger;
    ledger.begin(order_of({{3}}, Change::kDrift, 1.0));
    for (const double norm : one.squared_norms) ledger.observe({{GradientSample{1, norm}}});
    const auto unit = ledger.finish({{one.squared_norm_of_sum}}).at(0);
    EXPECT_EQ(unit.unit, UnitId{3});
    EXPECT_EQ(unit.finite, one.finite) << one.what;
    EXPECT_EQ(unit.change, one.drift) << one.what;
    const bool is_small = one.finite && one.drift < 1;
    EXPECT_EQ(one.finite && unit.small_changes == 1.0, is_small) << one.what;
  }
}

TEST(Ledger, ObservesNothingWhereNothingIsOrdered) {
  EXPECT_TRUE(play(order_of({}, Change::kCommon, 0.1), {{}, {}}).empty());
}

TEST(LedgerState, ThatIsBrokenIsNamed) {
  Ledger ledger;
  for (const char* state : {"", "{}", "[1]", R"({"order": 3})",
                            R"({"order":{"units":[0],"change":"common","theta1":0.1},"steps":1,)"
                            R"("accounts":[]})",
                            R"({"order":{"units":[],"change":"odd","theta1":0.1},"steps":1,)"
                            R"("accounts":[]})"}) {
    EXPECT_THAT(message_of([&] { ledger.load(state); }), HasSubstr("the checkpoint is broken"))
        << state;
  }
}

}  // namespace
}  // namespace frostline::policy
