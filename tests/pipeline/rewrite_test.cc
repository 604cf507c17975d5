#include "pipeline/rewrite.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "pipeline/schedules/registry.h"
#include "tests/pipeline/samples.h"

namespace frostline::pipeline {
namespace {

using testing::HasSubstr;

/// Four stages, two layers each, one micro-batch, a unit a layer.
Plan plan(const std::string& mask, Cut cut = Cut::kPrefix) {
  return {make_schedule("gpipe", {4, 1, 1}), Partition::even(8, 4),
          FreezePlan(FreezeMask::from_text(mask)), cut};
}

const UnitTable& units() {
  static const UnitTable table = UnitTable::of_layers(8);
  return table;
}

char letter(BackwardNeed need) {
  switch (need) {
    case BackwardNeed::kFull:
      return 'f';
    case BackwardNeed::kToFrostLine:
      return 'l';
    case BackwardNeed::kInputGradient:
      return 'i';
    case BackwardNeed::kNone:
      return '-';
  }
  return '?';
}

/// For each stage what it needs, whether it sends (>) and its first layer with a backward:
/// "l0 f>2 f>4 f>6".
std::string rules_text(const Plan& plan, const UnitTable& units, MicroBatch micro_batch = {0}) {
  const FreezeRules rules(plan, units);
  std::string text;
  for (const StageId stage : base::ids<StageId>(plan.partition.stages())) {
    text += text.empty() ? "" : " ";
    text += letter(rules.need(stage, micro_batch));
    text += rules.sends_gradient(stage, micro_batch) ? ">" : "";
    text += std::to_string(rules.first_backward_layer(stage, micro_batch).value);
  }
  return text;
}

struct RulesCase {
  std::string mask;
  Cut cut;
  std::string rules;
};

class Rules : public testing::TestWithParam<RulesCase> {};

TEST_P(Rules, FollowFromMaskAndCut) {
  EXPECT_EQ(rules_text(plan(GetParam().mask, GetParam().cut), units()), GetParam().rules)
      << GetParam().mask;
}

INSTANTIATE_TEST_SUITE_P(Prefix, Rules,
                         testing::Values(RulesCase{"00000000", Cut::kPrefix, "l0 f>2 f>4 f>6"},
                                         RulesCase{"10000000", Cut::kPrefix, "l1 f>2 f>4 f>6"},
                                         RulesCase{"11000000", Cut::kPrefix, "-2 l2 f>4 f>6"},
                                         RulesCase{"11100000", Cut::kPrefix, "-2 l3 f>4 f>6"},
                                         RulesCase{"11111000", Cut::kPrefix, "-2 -4 l5 f>6"},
                                         RulesCase{"11111110", Cut::kPrefix, "-2 -4 -6 l7"},
                                         RulesCase{"11111111", Cut::kPrefix, "-2 -4 -6 -8"},
                                         // Frozen in the middle, something below trains:
                                         RulesCase{"00110000", Cut::kPrefix, "l0 i>2 f>4 f>6"},
                                         RulesCase{"01111111", Cut::kPrefix, "l0 i>2 i>4 i>6"},
                                         RulesCase{"11011100", Cut::kPrefix, "-2 l2 i>4 f>6"},
                                         RulesCase{"11101111", Cut::kPrefix, "-2 l3 i>4 i>6"}));

INSTANTIATE_TEST_SUITE_P(FirstStage, Rules,
                         testing::Values(RulesCase{"00000000", Cut::kFirstStage, "l0 f>2 f>4 f>6"},
                                         RulesCase{"10000000", Cut::kFirstStage, "l1 f>2 f>4 f>6"},
                                         RulesCase{"11000000", Cut::kFirstStage, "-2 f2 f>4 f>6"},
                                         RulesCase{"11100000", Cut::kFirstStage, "-2 f2 f>4 f>6"},
                                         RulesCase{"11111000", Cut::kFirstStage, "-2 i2 f>4 f>6"},
                                         RulesCase{"11111111", Cut::kFirstStage, "-2 i2 i>4 i>6"},
                                         RulesCase{"00110000", Cut::kFirstStage,
                                                   "l0 i>2 f>4 f>6"}));

INSTANTIATE_TEST_SUITE_P(NoCut, Rules,
                         testing::Values(RulesCase{"00000000", Cut::kNone, "l0 f>2 f>4 f>6"},
                                         RulesCase{"10000000", Cut::kNone, "l0 f>2 f>4 f>6"},
                                         RulesCase{"11000000", Cut::kNone, "i0 f>2 f>4 f>6"},
                                         RulesCase{"11110000", Cut::kNone, "i0 i>2 f>4 f>6"},
                                         RulesCase{"11111111", Cut::kNone, "i0 i>2 i>4 i>6"}));

TEST(FreezeRules, ATiedUnitHoldsTheFrostLineAtTheBottom) {
  UnitTable tied = UnitTable::of_layers(8);
  tied.units[0].layers = {{0}, {7}};
  EXPECT_EQ(rules_text(plan("01111111"), tied), "l0 i>2 i>4 f>6") << "the head trains with it";
  EXPECT_EQ(rules_text(plan("11110000"), tied), "-2 -4 l4 f>6");
}

TEST(FreezeRules, ALayerWithoutUnitsCountsAsFrozen) {
  UnitTable bare = UnitTable::of_layers(8);
  bare.units.erase(bare.units.begin(), bare.units.begin() + 3);
  EXPECT_EQ(rules_text(plan("00000"), bare), "-2 l3 f>4 f>6");
}

TEST(FreezeRules, HoldForEachMicroBatch) {
  Plan mixed = plan("00000000");
  mixed.schedule = make_schedule("gpipe", {4, 1, 2});
  mixed.freeze = FreezePlan({FreezeMask::from_text("11110000"), FreezeMask::from_text("00000000")});
  EXPECT_EQ(rules_text(mixed, units(), {0}), "-2 -4 l4 f>6");
  EXPECT_EQ(rules_text(mixed, units(), {1}), "l0 f>2 f>4 f>6");
}

std::string rewritten(const std::string& mask, Cut cut = Cut::kPrefix) {
  return to_text(rewrite(plan(mask, cut), units()));
}

TEST(Rewrite, NothingFrozenChangesNothing) {
  EXPECT_EQ(rewrite(plan("00000000"), units()), *plan("00000000").schedule);
}

TEST(Rewrite, BelowTheLineOnlyForwardsAreLeft) {
  EXPECT_EQ(rewritten("11111000"), "rank 0: 0F0\nrank 1: 1F0\nrank 2: 2F0 2B0\nrank 3: 3F0 3B0\n");
  EXPECT_EQ(rewritten("11111111"), "rank 0: 0F0\nrank 1: 1F0\nrank 2: 2F0\nrank 3: 3F0\n");
}

TEST(Rewrite, AFrozenStageAboveTheLineHasNoWeightGradient) {
  EXPECT_EQ(rewritten("00110000"),
            "rank 0: 0F0 0B0\nrank 1: 1F0 1I0\nrank 2: 2F0 2B0\nrank 3: 3F0 3B0\n");
}

TEST(Rewrite, TheCutDecidesHowMuchAPrefixSaves) {
  EXPECT_EQ(rewritten("11110000", Cut::kFirstStage),
            "rank 0: 0F0\nrank 1: 1F0 1I0\nrank 2: 2F0 2B0\nrank 3: 3F0 3B0\n");
  EXPECT_EQ(rewritten("11110000", Cut::kNone),
            "rank 0: 0F0 0I0\nrank 1: 1F0 1I0\nrank 2: 2F0 2B0\nrank 3: 3F0 3B0\n");
}

TEST(Rewrite, ASplitBackwardLosesItsWeightGradient) {
  Plan split = plan("11011100");
  split.schedule = split_backward(split.schedule);
  EXPECT_EQ(to_text(rewrite(split, units())),
            "rank 0: 0F0\nrank 1: 1F0 1I0 1W0\nrank 2: 2F0 2I0\nrank 3: 3F0 3I0 3W0\n");
}

TEST(Rewrite, OfAPairTheOtherStaysAlone) {
  Plan pair{
      schedule_from({2, 1, 2}, {"0F0 (0F1;0B0)OVERLAP_F_B 0B1", "1F0 (1F1;1B0)OVERLAP_F_B 1B1"}),
      Partition({1, 1}), FreezePlan(FreezeMask::from_text("10")), Cut::kPrefix};
  const UnitTable two = UnitTable::of_layers(2);
  EXPECT_EQ(to_text(rewrite(pair, two)), "rank 0: 0F0 0F1\nrank 1: 1F0 (1F1;1B0)OVERLAP_F_B 1B1\n");
  pair.freeze = FreezePlan(FreezeMask::from_text("01"));
  EXPECT_EQ(to_text(rewrite(pair, two)),
            "rank 0: 0F0 (0F1;0B0)OVERLAP_F_B 0B1\nrank 1: 1F0 (1F1;1I0)OVERLAP_F_B 1I1\n");
}

TEST(Rewrite, ReductionsOfFrozenStagesGo) {
  const Plan reduced{schedule_from({2, 1, 1}, {"0F0 0B0 0REDUCE_GRAD", "1F0 1B0 1REDUCE_GRAD"}),
                     Partition({1, 1}), FreezePlan(FreezeMask::from_text("10")), Cut::kPrefix};
  EXPECT_EQ(to_text(rewrite(reduced, UnitTable::of_layers(2))),
            "rank 0: 0F0\nrank 1: 1F0 1B0 1REDUCE_GRAD\n");
}

TEST(ExecutableSchedule, BothEndsOfALinkAgreeForEachMicroBatch) {
  const Plan mixed{make_schedule("gpipe", {2, 1, 2}), Partition({1, 1}),
                   FreezePlan({FreezeMask::from_text("10"), FreezeMask::from_text("01")}),
                   Cut::kPrefix};
  EXPECT_EQ(to_text(executable_schedule(mixed, UnitTable::of_layers(2))),
            "rank 0: 0F0 0SEND_F0 0F1 0SEND_F1 0RECV_B1 0B1\n"
            "rank 1: 1RECV_F0 1F0 1RECV_F1 1F1 1B0 1I1 1SEND_B1\n");
}

TEST(ExecutableSchedule, RefusesWhatCannotRun) {
  Plan broken = plan("00000000");
  Schedule schedule = broken.schedule;
  schedule.actions[1] = {parse_action("1B0"), parse_action("1F0")};
  broken.schedule = schedule;
  EXPECT_THAT(error_of([&] { executable_schedule(broken, units()); }),
              HasSubstr("rule 5, rank 1, action 1 (1B0)"));
}

}  // namespace
}  // namespace frostline::pipeline
