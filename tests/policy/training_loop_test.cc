#include "policy/training_loop.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/base/throws.h"
#include "tests/policy/fake_world.h"

namespace frostline::policy {
namespace {

using base::message_of;
using pipeline::Budget;
using pipeline::UnitTable;
using std::chrono::milliseconds;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

// Three units, the third is the head. A step costs 4 ms and 2 ms for each unfrozen unit: 10 ms with
// nothing frozen. A transition costs 7 ms, a validation 3 ms, a checkpoint 5 ms.
class Loop : public testing::Test {
 protected:
  Loop() {
    settings_.judging_step = 4;
    settings_.learning_rate.shape = pipeline::LearningRateRule::Shape::kLinear;
  }
  void budget_steps(std::int64_t steps) {
    settings_.budget = {.kind = Budget::Kind::kSteps, .steps = steps};
  }
  void budget_ms(int ms) {
    settings_.budget = {.kind = Budget::Kind::kTime, .time = milliseconds(ms)};
  }
  void save_checkpoints() { settings_.checkpoint = "checkpoint"; }
  void predict() {
    settings_.predicted_step = [](const pipeline::Plan&) { return milliseconds(10); };
    settings_.predicted_validation = milliseconds(2);
  }
  Outcome run() {
    return TrainingLoop(world_, policy_, units_, one_stage_planner(3), settings_, recorder_).run();
  }

  FakeDisk disk_;
  const UnitTable units_ = UnitTable::of_layers(3);
  FakeWorld world_{units_, disk_};
  ScriptedPolicy policy_{{"000"}};
  LoopSettings settings_;
  Recorder recorder_;
};

TEST_F(Loop, OrdersWholeJudgingStepsAndValidatesAtBothEnds) {
  budget_steps(10);
  const Outcome outcome = run();
  EXPECT_THAT(world_.calls(), ElementsAre("transition 000", "validate", "steps 4", "steps 4",
                                          "steps 2", "validate"));
  EXPECT_EQ(outcome.ending, Ending::kBudgetUsed);
  EXPECT_EQ(outcome.judging_steps, 2);  // the third was not complete
  EXPECT_EQ(outcome.budget.used_steps, 10);
  EXPECT_EQ(outcome.budget.used_time, milliseconds(7 + 3 + 10 * 10 + 3));
  EXPECT_EQ(outcome.validation_time, milliseconds(6));
  EXPECT_EQ(outcome.score, recorder_.validations.back().validation.score);
  EXPECT_EQ(recorder_.decisions.size(), 2u);
}

TEST_F(Loop, CutsOrdersAtJudgementsValidationsAndCheckpoints) {
  budget_steps(12);
  settings_.validate_every = 6;
  settings_.checkpoint_every = 5;
  save_checkpoints();
  run();
  EXPECT_THAT(world_.calls(),
              ElementsAre("transition 000", "validate", "steps 4", "steps 1", "save", "steps 1",
                          "validate", "steps 2", "steps 2", "save", "steps 2", "validate", "save"));
  std::vector<std::pair<bool, bool>> edges;
  for (const auto& order : world_.orders()) {
    edges.emplace_back(order.begins_judging_step, order.ends_judging_step);
  }
  using Edge = std::pair<bool, bool>;
  EXPECT_THAT(edges, ElementsAre(Edge(true, true), Edge(true, false), Edge(false, false),
                                 Edge(false, true), Edge(true, false), Edge(false, true)));
  EXPECT_THAT(recorder_.checkpoints, ElementsAre(5, 10, 12));
}

TEST_F(Loop, PassesAShareOfTheBudgetThatEveryStepUsesUp) {
  budget_steps(4);
  settings_.learning_rate.peak = 1.0;
  run();
  for (int i = 0; i < 4; ++i) {
    EXPECT_DOUBLE_EQ(recorder_.steps[i].budget_share, i / 4.0);
    EXPECT_DOUBLE_EQ(recorder_.steps[i].learning_rate, 1 - i / 4.0);
  }
}

// 7 for the transition and 3 for the first validation are used, 3 are kept: steps of 10 until 97
// are used up, which takes 9, and 3 for the last validation.
TEST_F(Loop, SetsTheLastValidationAsideInATimeBudget) {
  budget_ms(100);
  const Outcome outcome = run();
  EXPECT_EQ(outcome.budget.used_steps, 9);
  EXPECT_EQ(outcome.budget.used_time, milliseconds(103));
  EXPECT_EQ(world_.orders().front().budget.time, milliseconds(97));
  EXPECT_DOUBLE_EQ(recorder_.steps.front().budget_share, 10.0 / 97);
  EXPECT_DOUBLE_EQ(recorder_.steps.back().budget_share, 90.0 / 97);
  EXPECT_EQ(outcome.ending, Ending::kBudgetUsed);
}

// 2 for the first validation, 2 kept: steps of 10 until 98 are used up, which takes 10.
TEST_F(Loop, ChargesThePredictedClockWithStepsAndValidationsAlone) {
  budget_ms(100);
  predict();
  save_checkpoints();
  settings_.checkpoint_every = 3;
  policy_ = ScriptedPolicy({"000", "100"});
  const Outcome outcome = run();
  EXPECT_EQ(outcome.budget.used_steps, 10);
  EXPECT_EQ(outcome.budget.used_time, milliseconds(2 + 100 + 2));
  EXPECT_EQ(recorder_.decisions.front().transition, milliseconds(0));
  EXPECT_EQ(recorder_.validations.front().validation.cost, milliseconds(2));
  EXPECT_EQ(recorder_.steps.front().wall, milliseconds(10));
  EXPECT_EQ(recorder_.steps.back().wall, milliseconds(8));
}

TEST_F(Loop, ChargesAllThatTakesTime) {
  budget_ms(1000);
  save_checkpoints();
  settings_.checkpoint_every = 3;
  settings_.validate_every = 5;
  settings_.validate_share = 1;
  policy_ = ScriptedPolicy({"000", "100", "110", "000"});
  const Outcome outcome = run();
  EXPECT_EQ(outcome.budget.used_time, recorder_.told_time + milliseconds(7));
}

TEST_F(Loop, GoesOverToANewPlanWhenTheMaskChanges) {
  budget_steps(13);
  policy_ = ScriptedPolicy({"000", "100", "100", "010"});
  const Outcome outcome = run();
  EXPECT_THAT(world_.calls(),
              ElementsAre("transition 000", "validate", "steps 4", "transition 100", "steps 4",
                          "steps 4", "transition 010", "steps 1", "validate"));
  EXPECT_EQ(outcome.freezes, 2);
  EXPECT_EQ(outcome.mask.text(), "010");
  const DecisionRecord& first = recorder_.decisions.at(0);
  EXPECT_EQ(first.step, 4);
  EXPECT_EQ(first.judging_step, 1);
  EXPECT_EQ(first.before.text(), "000");
  EXPECT_EQ(first.decision.mask.text(), "100");
  EXPECT_EQ(first.frost_line, 1);
  EXPECT_DOUBLE_EQ(first.frozen_share, 1.0 / 3);
  EXPECT_EQ(first.transition, milliseconds(7));
  EXPECT_EQ(recorder_.decisions.at(1).transition, milliseconds(0));
}

TEST_F(Loop, TellsThePolicyWhereTheRunStands) {
  budget_steps(8);
  run();
  ASSERT_EQ(policy_.asked.size(), 2u);
  EXPECT_EQ(policy_.asked[0].judging_steps, 0);
  EXPECT_EQ(policy_.asked[1].judging_steps, 1);
  EXPECT_EQ(policy_.asked[1].steps, 4);
  ASSERT_EQ(policy_.decided.size(), 2u);
  EXPECT_EQ(policy_.decided[0].judging_steps, 1);
  EXPECT_EQ(policy_.decided[0].steps, 4);
  EXPECT_DOUBLE_EQ(policy_.decided[0].budget_share, 0.5);
  EXPECT_EQ(policy_.decided[0].score, recorder_.validations.front().validation.score);
  EXPECT_DOUBLE_EQ(policy_.decided[1].budget_share, 1.0);
}

TEST_F(Loop, EndsWhenThePolicyHasFrozenEverything) {
  budget_steps(100);
  save_checkpoints();
  policy_ = ScriptedPolicy({"000", "110", "111"});
  const Outcome outcome = run();
  EXPECT_EQ(outcome.ending, Ending::kEverythingFrozen);
  EXPECT_EQ(outcome.budget.used_steps, 8);
  EXPECT_THAT(recorder_.messages,
              ElementsAre("every unit is frozen after step 8: nothing is left to train"));
  EXPECT_EQ(recorder_.validations.back().step, 8);
  EXPECT_THAT(recorder_.checkpoints, ElementsAre(8));
}

TEST_F(Loop, RunsAMaskThatFreezesEverythingIfThatIsAskedFor) {
  budget_steps(5);
  policy_ = ScriptedPolicy({"111"});
  policy_.fixed = true;
  const Outcome outcome = run();
  EXPECT_EQ(outcome.ending, Ending::kBudgetUsed);
  EXPECT_EQ(outcome.budget.used_steps, 5);
  EXPECT_EQ(outcome.freezes, 0);
  EXPECT_THAT(recorder_.messages, IsEmpty());
}

// After n validations of 3 ms another one and the last one come to 3 (n + 2): with 12.5 ms allowed
// there is one after step 1 (9) and after step 2 (12), none after step 3 (15).
TEST_F(Loop, ValidatesNoLongerThanItsShareOfATimeBudget) {
  budget_ms(100);
  settings_.validate_every = 1;
  settings_.validate_share = 0.125;
  const Outcome outcome = run();
  std::vector<std::int64_t> steps;
  for (const auto& record : recorder_.validations) steps.push_back(record.step);
  EXPECT_THAT(steps, ElementsAre(0, 1, 2, outcome.budget.used_steps));
  EXPECT_EQ(outcome.validation_time, milliseconds(12));
  ASSERT_EQ(recorder_.messages.size(), 1u);
  EXPECT_THAT(recorder_.messages[0],
              HasSubstr("no validation after step 3: with it and the last one "
                        "validations would take 15 ms, more than "
                        "train.validate_share = 0.125 of the budget of"));
}

TEST_F(Loop, ValidatesAlwaysInAStepBudgetAndNeverTwiceAtOneStep) {
  budget_steps(4);
  settings_.validate_every = 2;
  settings_.validate_share = 0;
  run();
  std::vector<std::int64_t> steps;
  for (const auto& record : recorder_.validations) steps.push_back(record.step);
  EXPECT_THAT(steps, ElementsAre(0, 2, 4));
}

// Checkpoints are charged too: 7 + 3, and 10 + 5 for a step and its checkpoint, until 97 are used
// up. The last checkpoint holds the last validation.
TEST_F(Loop, ACheckpointMayUseUpTheBudget) {
  budget_ms(100);
  settings_.checkpoint_every = 1;
  save_checkpoints();
  const Outcome outcome = run();
  EXPECT_EQ(outcome.budget.used_steps, 6);
  EXPECT_THAT(recorder_.checkpoints, ElementsAre(1, 2, 3, 4, 5, 6, 6));
}

TEST_F(Loop, JudgesNothingWhenTheBudgetEndsInAJudgingStep) {
  budget_ms(50);  // 7 + 3 + 4 x 10 is 50 and 3 are kept: the fourth step is the last
  settings_.judging_step = 5;
  const Outcome outcome = run();
  EXPECT_EQ(outcome.budget.used_steps, 4);
  EXPECT_EQ(outcome.judging_steps, 0);
  EXPECT_THAT(recorder_.decisions, IsEmpty());
}

TEST_F(Loop, JudgesAJudgingStepThatEndsWithTheBudget) {
  budget_ms(50);
  policy_ = ScriptedPolicy({"000", "100"});
  const Outcome outcome = run();
  EXPECT_EQ(outcome.judging_steps, 1);
  EXPECT_EQ(outcome.ending, Ending::kBudgetUsed);
  EXPECT_EQ(outcome.mask.text(), "100");
}

TEST_F(Loop, RefusesATimeBudgetThatIsUsedUpBeforeTheFirstStep) {
  budget_ms(12);
  const std::string message = message_of([&] { run(); });
  EXPECT_THAT(message,
              HasSubstr("the time budget of 12 ms leaves no time to train: setting up and a "
                        "first validation took 10 ms, and 3 ms are kept"));
  EXPECT_THAT(message, HasSubstr("give train.time_s more than 0.013"));
}

TEST_F(Loop, RefusesATimeBudgetThatNoStepUsesUp) {
  budget_ms(100);
  predict();
  settings_.predicted_step = [](const pipeline::Plan&) { return base::Duration{}; };
  EXPECT_THAT(message_of([&] { run(); }), HasSubstr("a step takes no time on the run's clock"));
}

TEST_F(Loop, StopsAfterTheStepAndWritesACheckpoint) {
  budget_steps(20);
  save_checkpoints();
  Recorder recorder(6);
  TrainingLoop loop(world_, policy_, units_, one_stage_planner(3), settings_, recorder);
  const Outcome outcome = loop.run();
  EXPECT_EQ(outcome.ending, Ending::kInterrupted);
  EXPECT_EQ(outcome.budget.used_steps, 6);
  EXPECT_THAT(recorder.checkpoints, ElementsAre(6));
  EXPECT_EQ(recorder.validations.size(), 1u);
}

// As when a signal ends an order before its first step.
TEST_F(Loop, StopsWithoutAStepToo) {
  budget_steps(20);
  save_checkpoints();
  world_.refuse_steps();
  recorder_.stopping = true;
  const Outcome outcome = run();
  EXPECT_EQ(outcome.ending, Ending::kInterrupted);
  EXPECT_EQ(outcome.budget.used_steps, 0);
  EXPECT_THAT(recorder_.checkpoints, ElementsAre(0));
}

TEST_F(Loop, WritesNoCheckpointWithoutAPlaceForIt) {
  budget_steps(4);
  settings_.checkpoint_every = 2;
  run();
  EXPECT_THAT(recorder_.checkpoints, IsEmpty());
}

}  // namespace
}  // namespace frostline::policy
