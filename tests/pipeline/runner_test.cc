#include "pipeline/runner.h"

#include <gtest/gtest.h>

#include <functional>
#include <optional>
#include <stdexcept>

#include "pipeline/schedules/registry.h"

namespace frostline::pipeline {
namespace {

/// Notes what it performs and asks `behave` what to do about it.
struct FakeStage : Stage {
  std::function<bool(const Action&)> behave = [](const Action&) { return true; };
  std::string performed;
  std::coroutine_handle<> waiting;

  bool begin(const Action& action, std::coroutine_handle<> handle) override {
    performed += to_text(action) + " ";
    waiting = handle;
    return behave(action);
  }
};

const std::vector<Action>& actions() {
  static const auto list = make_schedule("gpipe", {1, 1, 2}).actions[0];
  return list;
}

TEST(Runner, GoesThroughWhenActionsAreDoneAtOnce) {
  FakeStage stage;
  const Task task = run_schedule(stage, actions());
  EXPECT_TRUE(task.done());
  EXPECT_EQ(stage.performed, "0F0 0F1 0B0 0B1 ");
  EXPECT_NO_THROW(task.rethrow());
}

TEST(Runner, WaitsUntilResumed) {
  FakeStage stage;
  stage.behave = [](const Action& action) { return to_text(action) != "0F1"; };
  const Task task = run_schedule(stage, actions());
  EXPECT_FALSE(task.done());
  EXPECT_EQ(stage.performed, "0F0 0F1 ");
  stage.waiting.resume();
  EXPECT_TRUE(task.done());
  EXPECT_EQ(stage.performed, "0F0 0F1 0B0 0B1 ");
}

TEST(Runner, TwoRanksTakeTurns) {
  FakeStage a;
  FakeStage b;
  a.behave = b.behave = [](const Action&) { return false; };
  const Task first = run_schedule(a, actions());
  const Task second = run_schedule(b, actions());
  for (int turn = 0; turn < 4; ++turn) {
    EXPECT_FALSE(first.done() || second.done());
    a.waiting.resume();
    b.waiting.resume();
  }
  EXPECT_TRUE(first.done() && second.done());
  EXPECT_EQ(a.performed, b.performed);
}

TEST(Runner, HandsOverWhatAStageThrows) {
  FakeStage stage;
  stage.behave = [](const Action& action) -> bool {
    if (to_text(action) == "0B0") throw std::runtime_error("the link is gone");
    return true;
  };
  const Task task = run_schedule(stage, actions());
  EXPECT_TRUE(task.done());
  EXPECT_EQ(stage.performed, "0F0 0F1 0B0 ") << "nothing is performed after a failure";
  EXPECT_THROW(task.rethrow(), std::runtime_error);
}

TEST(Runner, HandsOverWhatAStageThrowsAfterAWait) {
  FakeStage stage;
  stage.behave = [](const Action& action) -> bool {
    if (to_text(action) == "0F1") throw std::runtime_error("out of memory");
    return false;
  };
  const Task task = run_schedule(stage, actions());
  EXPECT_NO_THROW(stage.waiting.resume()) << "the failure is the task's, not the event loop's";
  EXPECT_TRUE(task.done());
  EXPECT_THROW(task.rethrow(), std::runtime_error);
}

TEST(Runner, MayBeGivenUpHalfway) {
  FakeStage stage;
  stage.behave = [](const Action&) { return false; };
  {
    Task task = run_schedule(stage, actions());
    const Task owner = std::move(task);
    EXPECT_FALSE(owner.done());
  }
  EXPECT_EQ(stage.performed, "0F0 ");
}

TEST(Runner, NothingToDoIsDone) {
  FakeStage stage;
  EXPECT_TRUE(run_schedule(stage, {}).done());
}

}  // namespace
}  // namespace frostline::pipeline
