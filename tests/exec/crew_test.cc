#include "exec/crew.h"

#include <ATen/Parallel.h>
#include <gtest/gtest.h>

#include <atomic>
#include <set>
#include <stdexcept>

#include "exec/hand_over.h"
#include "tests/base/throws.h"

namespace frostline::exec {
namespace {

const auto kNothing = [] {};

TEST(Crew, RunsACommandOnceOnEveryRankEachOnItsOwnThread) {
  Crew crew(3);
  std::vector<std::thread::id> first(3), second(3);
  crew.run([&](pipeline::Rank rank) { first[rank.index()] = std::this_thread::get_id(); },
           kNothing);
  crew.run([&](pipeline::Rank rank) { second[rank.index()] = std::this_thread::get_id(); },
           kNothing);
  EXPECT_EQ(first, second);
  EXPECT_EQ(std::set(first.begin(), first.end()).size(), 3u);
}

TEST(Crew, GivesEveryRankOneIntraOpThread) {
  Crew crew(2);
  std::vector<int> threads(2);
  crew.run([&](pipeline::Rank rank) { threads[rank.index()] = at::get_num_threads(); }, kNothing);
  EXPECT_EQ(threads, std::vector<int>({1, 1}));
}

TEST(Crew, NamesTheFirstRankThatFailsAndEndsTheOthers) {
  Crew crew(3);
  HandOver hand_over;
  const pipeline::Step never{pipeline::ActionKind::kReceiveForward, {1}, pipeline::MicroBatch{0}};
  const auto command = [&](pipeline::Rank rank) {
    if (rank.value == 1) throw std::runtime_error("out of luck\nbacktrace");
    hand_over.take(never);
  };
  const std::string message =
      base::message_of([&] { crew.run(command, [&] { hand_over.abort(); }); });
  EXPECT_EQ(message, "rank 1: out of luck");
}

TEST(Crew, RunsTheNextCommandAfterAFailure) {
  Crew crew(2);
  const auto fail = [](pipeline::Rank) { throw std::runtime_error("no"); };
  EXPECT_THROW(crew.run(fail, kNothing), base::Error);
  std::atomic<int> ran = 0;
  crew.run([&](pipeline::Rank) { ++ran; }, kNothing);
  EXPECT_EQ(ran, 2);
}

}  // namespace
}  // namespace frostline::exec
