#include "sim/event_loop.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "pipeline/runner.h"

namespace frostline::sim {
namespace {

using base::Duration;
using pipeline::Task;
using ::testing::ElementsAre;

/// For `co_await until(loop, time)`.
auto until(EventLoop& loop, Duration time) {
  struct Instant {
    EventLoop& loop;
    Duration time;
    bool await_ready() const { return false; }
    void await_suspend(std::coroutine_handle<> waiting) { loop.resume_at(time, waiting); }
    void await_resume() const {}
  };
  return Instant{loop, time};
}

struct Diary {
  EventLoop loop;
  std::vector<std::string> entries;

  void write(const std::string& name) {
    entries.push_back(name + "@" + std::to_string(loop.now().count()));
  }
};

Task visit(Diary& diary, std::string name, std::vector<int> times) {
  for (const int time : times) {
    co_await until(diary.loop, Duration(time));
    diary.write(name);
  }
}

TEST(EventLoop, ResumesInTheOrderOfTime) {
  Diary diary;
  const Task a = visit(diary, "a", {5, 9});
  const Task b = visit(diary, "b", {3, 7});
  diary.loop.run();
  EXPECT_THAT(diary.entries, ElementsAre("b@3", "a@5", "b@7", "a@9"));
  EXPECT_TRUE(a.done() && b.done());
  EXPECT_EQ(diary.loop.now(), Duration(9));
  EXPECT_EQ(diary.loop.events(), 4U);
}

TEST(EventLoop, ResumesInTheOrderOfSchedulingAtOneTime) {
  Diary diary;
  std::vector<Task> tasks;
  for (const char* name : {"a", "b", "c", "d", "e"}) {
    tasks.push_back(visit(diary, name, {4, 4}));
  }
  diary.loop.run();
  EXPECT_THAT(diary.entries,
              ElementsAre("a@4", "b@4", "c@4", "d@4", "e@4", "a@4", "b@4", "c@4", "d@4", "e@4"));
}

TEST(EventLoop, StandsAtZeroWithNothingToRun) {
  EventLoop loop;
  loop.run();
  EXPECT_EQ(loop.now(), Duration(0));
  EXPECT_EQ(loop.events(), 0U);
}

TEST(EventLoop, RefusesThePast) {
  Diary diary;
  const Task task = visit(diary, "a", {5});
  diary.loop.run();
  EXPECT_DEATH(diary.loop.resume_at(Duration(4), std::noop_coroutine()), "time >= now_");
}

}  // namespace
}  // namespace frostline::sim
