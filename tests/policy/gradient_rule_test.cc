#include "policy/gradient_rule.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/base/throws.h"

namespace frostline::policy {
namespace {

using base::message_of;
using pipeline::Change;
using pipeline::FreezeMask;
using pipeline::UnitId;
using pipeline::UnitStatistics;
using pipeline::UnitTable;
using testing::ElementsAre;
using testing::HasSubstr;

constexpr Thresholds kThresholds{.theta1 = 0.1, .theta2 = 0.8, .theta3 = 0.5};

/// Relative and absolute, without warm-up, unless a test says otherwise.
GradientRule::Settings plain() {
  return {.change = Change::kRelative, .size = SizeReference::kAbsolute, .warm_up = 0};
}

Situation at(const char* mask, std::int64_t judging_steps) {
  return {.mask = FreezeMask::from_text(mask), .judging_steps = judging_steps};
}

UnitStatistics seen(int unit, double mean_gradient, double small_changes) {
  return {.unit = {unit}, .mean_gradient = mean_gradient, .small_changes = small_changes};
}

/// All of them settled, with these mean gradients.
std::vector<UnitStatistics> settled(std::vector<double> mean_gradients) {
  std::vector<UnitStatistics> all;
  for (const double mean : mean_gradients)
    all.push_back(seen(static_cast<int>(all.size()), mean, 1));
  return all;
}

// Four units, the fourth is the head.
class Rule : public testing::Test {
 protected:
  const UnitTable units_ = UnitTable::of_layers(4);
};

struct Tests {
  double mean_gradient;
  double small_changes;
  bool result1;
  bool result2;
};

// rho >= theta2 = 0.8 and A < theta3 = 0.5: the first holds at equality, the second does not.
TEST_F(Rule, FreezesWhatPassesBothTests) {
  const Tests cases[] = {{0.4, 0.9, true, true},
                         {0.4, 0.8, true, true},
                         {0.4, 0.79, false, true},
                         {0.5, 0.9, true, false},
                         {0.6, 0.1, false, false}};
  for (const Tests& one : cases) {
    GradientRule rule(plain(), units_);
    const std::vector statistics{seen(0, one.mean_gradient, one.small_changes), seen(1, 9, 0),
                                 seen(2, 9, 0)};
    const Decision decision = rule.judge(at("0000", 1), statistics, kThresholds);
    EXPECT_EQ(decision.verdicts.at(0).change_is_small, one.result1);
    EXPECT_EQ(decision.verdicts.at(0).gradient_is_small, one.result2);
    EXPECT_EQ(decision.verdicts.at(0).reference, 1.0);
    EXPECT_EQ(decision.mask.text(), one.result1 && one.result2 ? "1000" : "0000");
    EXPECT_EQ(decision.remark, "");
  }
}

// Published code has frozen the first layer that did not pass. Unit 1 does not, and stops unit 2.
TEST_F(Rule, WithPrefixOrderFreezesUpToTheFirstUnitThatFails) {
  GradientRule rule(plain(), units_);
  EXPECT_EQ(rule.judge(at("0000", 1), settled({0.1, 0.6, 0.1}), kThresholds).mask.text(), "1000");
}

TEST_F(Rule, WithPrefixOrderFreezesSeveralUnitsAtOnce) {
  GradientRule rule(plain(), units_);
  EXPECT_EQ(rule.judge(at("0000", 1), settled({0.1, 0.2, 0.1}), kThresholds).mask.text(), "1110");
}

TEST_F(Rule, WithoutPrefixOrderFreezesWhateverPasses) {
  auto settings = plain();
  settings.prefix_order = false;
  GradientRule rule(settings, units_);
  EXPECT_EQ(rule.judge(at("0000", 1), settled({0.6, 0.1, 0.6}), kThresholds).mask.text(), "0100");
}

TEST_F(Rule, NeverFreezesTheHeadNorWhatIsBeyondTheWindow) {
  auto settings = plain();
  settings.size = SizeReference::kMedian;  // observes all units
  settings.window = 2;
  GradientRule rule(settings, units_);
  const Thresholds easy{.theta1 = 9, .theta2 = 0, .theta3 = 9};
  EXPECT_EQ(rule.judge(at("0000", 1), settled({1, 1, 1, 1}), easy).mask.text(), "1100");
  const std::vector rest{seen(2, 1, 1), seen(3, 1, 1)};
  EXPECT_EQ(rule.judge(at("1100", 2), rest, easy).mask.text(), "1110");
  EXPECT_EQ(rule.judge(at("1110", 3), {{seen(3, 1, 1)}}, easy).mask.text(), "1110");
}

// By unit, not by place: what stands first in the list is the second unit.
TEST_F(Rule, JudgesByUnitNotByPlace) {
  GradientRule rule(plain(), units_);
  const std::vector mixed{seen(2, 0.6, 1), seen(0, 0.1, 1), seen(1, 0.6, 1)};
  EXPECT_EQ(rule.judge(at("0000", 1), mixed, kThresholds).mask.text(), "1000");
}

TEST_F(Rule, ConfirmsInARow) {
  auto settings = plain();
  settings.confirm = 2;
  GradientRule rule(settings, units_);
  const auto good = settled({0.1, 0.6, 0.6});
  const auto bad = settled({0.6, 0.6, 0.6});
  const Decision first = rule.judge(at("0000", 1), good, kThresholds);
  EXPECT_EQ(first.mask.text(), "0000");
  EXPECT_EQ(first.verdicts.at(0).in_a_row, 1);
  EXPECT_EQ(rule.judge(at("0000", 2), bad, kThresholds).verdicts.at(0).in_a_row, 0);
  EXPECT_EQ(rule.judge(at("0000", 3), good, kThresholds).mask.text(), "0000");
  const Decision last = rule.judge(at("0000", 4), good, kThresholds);
  EXPECT_EQ(last.mask.text(), "1000");
  EXPECT_EQ(last.verdicts.at(0).in_a_row, 2);
}

// Unit 1 has passed twice when unit 0 freezes at last, and follows at once.
TEST_F(Rule, ConfirmsWhileItWaitsForTheUnitsBefore) {
  auto settings = plain();
  settings.confirm = 2;
  GradientRule rule(settings, units_);
  rule.judge(at("0000", 1), settled({0.6, 0.1, 0.6}), kThresholds);
  rule.judge(at("0000", 2), settled({0.1, 0.1, 0.6}), kThresholds);
  EXPECT_EQ(rule.judge(at("0000", 3), settled({0.1, 0.1, 0.6}), kThresholds).mask.text(), "1100");
}

TEST_F(Rule, CountsAnewAfterAThaw) {
  auto settings = plain();
  settings.confirm = 2;
  GradientRule rule(settings, units_);
  const auto good = settled({0.1, 0.6, 0.6});
  rule.judge(at("0000", 1), good, kThresholds);
  EXPECT_EQ(rule.judge(at("0000", 2), good, kThresholds).mask.text(), "1000");
  EXPECT_EQ(rule.judge(at("0000", 3), good, kThresholds).mask.text(), "0000");
}

TEST_F(Rule, NeverFreezesWhatCannotBeJudgedAndSaysSo) {
  GradientRule rule(plain(), units_);
  auto statistics = settled({0.1, 0.1, 0.1});
  statistics[1].finite = false;
  const Thresholds easy{.theta1 = 9, .theta2 = 0, .theta3 = 9};
  const Decision decision = rule.judge(at("0000", 1), statistics, easy);
  EXPECT_EQ(decision.mask.text(), "1000");
  EXPECT_FALSE(decision.verdicts.at(1).change_is_small);
  EXPECT_EQ(decision.remark,
            "not judged, for a gradient was zero, not finite or the first: layer.1");
}

// Means over two judging steps: (4 + 2) / 2 = 3 and (1 + 3) / 2 = 2; half of it is the limit.
TEST_F(Rule, ComparesWithTheUnitsOwnMeanOverWarmUp) {
  GradientRule rule({.change = Change::kRelative, .size = SizeReference::kSelf, .warm_up = 2},
                    units_);
  const Decision first = rule.judge(at("0000", 1), settled({4, 1, 8, 1}), kThresholds);
  EXPECT_EQ(first.mask.text(), "0000");
  EXPECT_TRUE(first.verdicts.empty());
  rule.judge(at("0000", 2), settled({2, 3, 8, 1}), kThresholds);
  const Decision third = rule.judge(at("0000", 3), settled({1.4, 1.1, 3}), kThresholds);
  EXPECT_EQ(third.verdicts.at(0).reference, 3.0);
  EXPECT_EQ(third.verdicts.at(1).reference, 2.0);
  EXPECT_EQ(third.mask.text(), "1000");
}

TEST_F(Rule, NeverFreezesAUnitWithoutAWarmUpMeanAndSaysSo) {
  GradientRule rule({.change = Change::kRelative, .size = SizeReference::kSelf, .warm_up = 1},
                    units_);
  auto warm_up = settled({1, 1, 1, 1});
  warm_up[0].finite = false;
  rule.judge(at("0000", 1), warm_up, kThresholds);
  const Decision decision = rule.judge(at("0000", 2), settled({0.01, 1, 1}), kThresholds);
  EXPECT_EQ(decision.mask.text(), "0000");
  EXPECT_EQ(decision.verdicts.at(0).reference, 0.0);
  EXPECT_EQ(decision.remark, "not frozen, for there is nothing to compare its size with: layer.0");
}

// The others of unit 0 have 2, 4 and 9, the head among them: median 4, limit 2. Those of unit 1
// have 1, 4 and 9.
TEST_F(Rule, ComparesWithTheMedianOverTheOtherUnfrozenUnits) {
  auto settings = plain();
  settings.size = SizeReference::kMedian;
  GradientRule rule(settings, units_);
  const Decision decision = rule.judge(at("0000", 1), settled({1, 2, 4, 9}), kThresholds);
  EXPECT_EQ(decision.verdicts.at(0).reference, 4.0);
  EXPECT_EQ(decision.verdicts.at(1).reference, 4.0);
  EXPECT_EQ(decision.verdicts.at(2).reference, 2.0);
  EXPECT_EQ(decision.mask.text(), "1000");
}

// Published code has thawed everything at a median of zero: what cannot be judged is no reference,
// and without any nothing is small.
TEST_F(Rule, WithoutAnyOtherUnitToCompareWithFreezesNothing) {
  auto settings = plain();
  settings.size = SizeReference::kMedian;
  GradientRule rule(settings, units_);
  auto statistics = settled({1, 0, 0, 0});
  for (std::size_t i = 1; i < 4; ++i) statistics[i].finite = false;
  const Decision decision = rule.judge(at("0000", 1), statistics, kThresholds);
  EXPECT_EQ(decision.mask.text(), "0000");
  EXPECT_EQ(decision.verdicts.at(0).reference, 0.0);
  EXPECT_THAT(decision.remark, HasSubstr("nothing to compare its size with: layer.0"));
}

TEST_F(Rule, SaysOnceThatCommonFellBackToRelative) {
  auto settings = plain();
  settings.change = Change::kCommon;
  GradientRule rule(settings, units_);
  const std::vector three{seen(1, 9, 0), seen(2, 9, 0), seen(3, 9, 0)};
  EXPECT_EQ(rule.judge(at("0000", 1), settled({9, 9, 9, 9}), kThresholds).remark, "");
  EXPECT_EQ(rule.judge(at("1000", 2), three, kThresholds).remark,
            "fewer than 3 other units are unfrozen: change = \"relative\" is used");
  GradientRule loaded(settings, units_);
  loaded.load(rule.save());
  EXPECT_EQ(loaded.judge(at("1000", 3), three, kThresholds).remark, "");
}

struct Needs {
  Change change;
  SizeReference size;
  std::int64_t judging_steps;
  std::vector<UnitId> units;
};

// Unit 0 is frozen, the window holds one unit, and there is one judging step of warm-up.
TEST_F(Rule, OrdersNoMoreThanItReads) {
  const std::vector<UnitId> window{{1}};
  const std::vector<UnitId> all{{1}, {2}, {3}};
  const Needs cases[] = {
      {Change::kRelative, SizeReference::kAbsolute, 0, window},
      {Change::kRelative, SizeReference::kAbsolute, 1, window},
      {Change::kDrift, SizeReference::kAbsolute, 1, window},
      {Change::kRelative, SizeReference::kSelf, 0, all},  // in warm-up
      {Change::kRelative, SizeReference::kSelf, 1, window},
      {Change::kRelative, SizeReference::kMedian, 1, all},
      {Change::kCommon, SizeReference::kAbsolute, 1, all},
  };
  for (const Needs& one : cases) {
    const GradientRule rule({.change = one.change, .size = one.size, .window = 1, .warm_up = 1},
                            units_);
    const auto order = rule.needs(at("1000", one.judging_steps), kThresholds);
    EXPECT_EQ(order.units, one.units);
    EXPECT_EQ(order.change, one.change);
    EXPECT_EQ(order.theta1, 0.1);
  }
}

TEST_F(Rule, SavedAndLoadedGoesOnAsItWas) {
  const GradientRule::Settings settings{
      .change = Change::kRelative, .size = SizeReference::kSelf, .warm_up = 1, .confirm = 2};
  GradientRule kept(settings, units_);
  kept.judge(at("0000", 1), settled({0.1, 0.7, 1.0 / 3, 1}), kThresholds);
  kept.judge(at("0000", 2), settled({0.01, 0.1, 0.1}), kThresholds);
  GradientRule loaded(settings, units_);
  loaded.load(kept.save());
  EXPECT_EQ(loaded.save(), kept.save());
  const Decision decision = loaded.judge(at("0000", 3), settled({0.01, 0.1, 0.3}), kThresholds);
  EXPECT_EQ(decision.mask.text(), "1100");
  EXPECT_EQ(decision.verdicts.at(2).reference, 1.0 / 3);
}

TEST_F(Rule, RefusesABrokenState) {
  GradientRule rule(plain(), units_);
  const std::string other = GradientRule(plain(), UnitTable::of_layers(3)).save();
  for (const std::string& state : {std::string("{"), std::string("{}"), other}) {
    EXPECT_THAT(message_of([&] { rule.load(state); }), HasSubstr("the freeze rule")) << state;
  }
}

}  // namespace
}  // namespace frostline::policy
