#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "policy/policies/registry.h"
#include "policy/training_loop.h"
#include "tests/base/throws.h"
#include "tests/policy/fake_world.h"

namespace frostline::policy {
namespace {

using base::message_of;
using pipeline::Budget;
using pipeline::UnitTable;
using std::chrono::milliseconds;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr int kUnits = 6;

enum class Clock { kSteps, kPredicted, kWorld };

/// One run, or one part of it, in a world of its own.
struct Part {
  Outcome outcome;
  Recorder recorder;
  std::vector<std::string> calls;
};

// Thresholds at which units freeze one after the other, and not all of them.
struct Scenario {
  const char* change;
  const char* size;
  double theta1;
  double theta3;
  Clock clock;
};

std::ostream& operator<<(std::ostream& stream, const Scenario& scenario) {
  return stream << scenario.change << ' ' << scenario.size << " on clock "
                << static_cast<int>(scenario.clock);
}

class Resume : public testing::TestWithParam<Scenario> {
 protected:
  Resume() {
    freeze_.policy = "fixed";
    freeze_.warm_up = 1;
    freeze_.theta2 = 0.5;
    freeze_.window = 2;
    freeze_.confirm = 2;
    loop_.judging_step = freeze_.judging_step = 4;
    loop_.validate_every = 6;
    loop_.validate_share = 0.025;
    loop_.checkpoint_every = 10;
  }
  void set_up(const Scenario& scenario) {
    freeze_.change = scenario.change;
    freeze_.size = scenario.size;
    freeze_.theta1 = scenario.theta1;
    freeze_.theta3 = scenario.theta3;
    loop_.budget = {.kind = Budget::Kind::kTime, .time = milliseconds(700)};
    if (scenario.clock == Clock::kSteps) loop_.budget = {.steps = 47};
    if (scenario.clock != Clock::kPredicted) return;
    loop_.predicted_validation = milliseconds(2);
    loop_.predicted_step = [](const pipeline::Plan& plan) {
      return milliseconds(4 + 2 * (kUnits - plan.freeze.whole_step().count()));
    };
  }
  const std::string& checkpoint_of(const std::string& name) { return disk_.at(name); }

  /// From the start, or from the checkpoint of that name if there is one; until after a step.
  Part run(const std::string& name, std::int64_t stop_after = 0) {
    FakeWorld world(units_, disk_);
    Part part{.outcome = {}, .recorder = Recorder(stop_after), .calls = {}};
    const auto policy = make_policy(freeze_, units_);
    LoopSettings settings = loop_;
    settings.checkpoint = name;
    TrainingLoop loop(world, *policy, units_, one_stage_planner(kUnits), settings, part.recorder);
    if (disk_.contains(name)) loop.resume(settings.checkpoint);
    part.outcome = loop.run();
    part.calls = world.calls();
    return part;
  }

  FakeDisk disk_;
  const UnitTable units_ = UnitTable::of_layers(kUnits);
  FreezeSettings freeze_;
  LoopSettings loop_;
};

std::vector<std::string> joined(std::vector<std::string> first,
                                const std::vector<std::string>& second) {
  first.insert(first.end(), second.begin(), second.end());
  return first;
}

void expect_same(const Outcome& a, const Outcome& b) {
  EXPECT_EQ(a.ending, b.ending);
  EXPECT_EQ(a.mask, b.mask);
  EXPECT_EQ(a.budget, b.budget);
  EXPECT_EQ(a.judging_steps, b.judging_steps);
  EXPECT_EQ(a.freezes, b.freezes);
  EXPECT_EQ(a.validation_time, b.validation_time);
  EXPECT_EQ(a.score, b.score);
}

// Interrupted after any step and resumed, a run takes the same steps, judges and decides the same,
// validates at the same steps to the same score and leaves the same checkpoint.
TEST_P(Resume, AfterAnyStepEqualsTheUninterruptedRun) {
  set_up(GetParam());
  const Part whole = run("whole");
  ASSERT_GE(whole.outcome.freezes, 2);
  ASSERT_LT(whole.outcome.mask.count(), kUnits - 1);
  const std::int64_t steps = whole.outcome.budget.used_steps;
  ASSERT_GT(steps, 40);
  for (std::int64_t k = 1; k < steps; ++k) {
    SCOPED_TRACE(k);
    const std::string name = std::to_string(k);
    const Part first = run(name, k);
    ASSERT_EQ(first.outcome.ending, Ending::kInterrupted);
    ASSERT_EQ(first.outcome.budget.used_steps, k);
    const Part second = run(name);
    EXPECT_EQ(joined(first.recorder.story, second.recorder.story), whole.recorder.story);
    EXPECT_EQ(checkpoint_of(name), checkpoint_of("whole"));
    expect_same(second.outcome, whole.outcome);
    EXPECT_EQ(second.calls.front(), "load");
  }
}

TEST_P(Resume, InterruptedAgainAndAgainEqualsTheUninterruptedRun) {
  set_up(GetParam());
  const Part whole = run("whole");
  std::vector<std::string> story;
  Part part;
  std::int64_t stop_after = 3;
  do {
    part = run("cut", stop_after);
    story = joined(story, part.recorder.story);
    stop_after += 3;
  } while (part.outcome.ending == Ending::kInterrupted);
  EXPECT_EQ(story, whole.recorder.story);
  EXPECT_EQ(checkpoint_of("cut"), checkpoint_of("whole"));
}

INSTANTIATE_TEST_SUITE_P(Clocks, Resume,
                         testing::Values(Scenario{"relative", "absolute", 0.5, 0.3, Clock::kSteps},
                                         Scenario{"relative", "self", 0.5, 0.5, Clock::kPredicted},
                                         Scenario{"common", "self", 0.5, 0.6, Clock::kSteps},
                                         Scenario{"common", "median", 0.5, 0.8, Clock::kPredicted},
                                         Scenario{"common", "self", 0.5, 0.5, Clock::kWorld},
                                         Scenario{"drift", "self", 1.5, 0.6, Clock::kSteps},
                                         Scenario{"drift", "absolute", 1.5, 0.3, Clock::kPredicted},
                                         Scenario{"drift", "median", 1.5, 0.8, Clock::kWorld}));

class ResumeOnce : public Resume {
 protected:
  ResumeOnce() { set_up({"common", "self", 0.5, 0.6, Clock::kPredicted}); }
};

// A crash goes on from the last checkpoint: what came after it is done again, and the same.
TEST_F(ResumeOnce, FromAPeriodicCheckpointRepeatsWhatCameAfter) {
  const Part whole = run("whole");
  loop_.budget = {.steps = 20};
  loop_.checkpoint_every = 10;
  loop_.predicted_step = nullptr;
  const Part steps = run("steps");
  FakeWorld world(units_, disk_);
  Recorder recorder(10);
  const auto policy = make_policy(freeze_, units_);
  LoopSettings settings = loop_;
  settings.checkpoint = "crashed";
  TrainingLoop(world, *policy, units_, one_stage_planner(kUnits), settings, recorder).run();
  const Part rest = run("crashed");
  EXPECT_EQ(joined(recorder.story, rest.recorder.story), steps.recorder.story);
}

TEST_F(ResumeOnce, OfARunThatHasEndedDoesNothing) {
  const Part whole = run("whole");
  const std::string checkpoint = checkpoint_of("whole");
  const Part again = run("whole");
  EXPECT_THAT(again.calls, ElementsAre("load", "transition " + whole.outcome.mask.text()));
  EXPECT_THAT(again.recorder.story, IsEmpty());
  EXPECT_EQ(checkpoint_of("whole"), checkpoint);
  expect_same(again.outcome, whole.outcome);
}

TEST_F(ResumeOnce, WithALargerBudgetGoesOn) {
  loop_.budget = {.steps = 10};
  run("run");
  loop_.budget.steps = 20;
  const Part more = run("run");
  EXPECT_EQ(more.recorder.steps.size(), 10u);
  EXPECT_EQ(more.recorder.steps.front().number, 11);
}

TEST_F(ResumeOnce, RefusesACheckpointOfAnotherModel) {
  run("run", 5);
  FakeWorld world(units_, disk_);
  UnitTable others = units_;
  others.units[2].name = "blocks.2";
  Recorder recorder;
  const auto policy = make_policy(freeze_, others);
  TrainingLoop loop(world, *policy, others, one_stage_planner(kUnits), loop_, recorder);
  EXPECT_THAT(message_of([&] { loop.resume("run"); }),
              HasSubstr("the checkpoint is of another model"));
}

TEST_F(ResumeOnce, RefusesOtherJudgingSteps) {
  run("run", 5);
  loop_.judging_step = 5;
  EXPECT_THAT(message_of([&] { run("run"); }),
              HasSubstr("judged every 4 steps, and freeze.judging_step = 5; use 4"));
}

TEST_F(ResumeOnce, RefusesABrokenState) {
  for (const char* loop : {"", "{}", "null", "{\"units\": 3}"}) {
    run("run", 5);
    auto saved = nlohmann::json::parse(checkpoint_of("run"));
    saved["loop"] = loop;
    disk_["run"] = saved.dump();
    EXPECT_THAT(message_of([&] { run("run"); }),
                HasSubstr("the checkpoint is broken: what it holds of the training loop"))
        << loop;
    disk_.erase("run");
  }
}

}  // namespace
}  // namespace frostline::policy
