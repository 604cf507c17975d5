#include "pipeline/dry_run.h"

#include <gtest/gtest.h>

#include "pipeline/lower.h"
#include "pipeline/schedules/registry.h"
#include "tests/pipeline/samples.h"

namespace frostline::pipeline {
namespace {

TEST(DryRun, SoundSchedulesReachTheirEnd) {
  for (int m = 1; m <= 8; ++m) {
    EXPECT_TRUE(dry_run(lower(make_schedule("1f1b", {4, 1, m}))).empty());
    EXPECT_TRUE(dry_run(lower(breadth_first({2, 2, m}))).empty());
    EXPECT_NO_THROW(check_runs(lower(make_schedule("gpipe", {4, 1, m}))));
  }
}

TEST(DryRun, ReportsEachBlockedRankAndNoOther) {
  // Rank 2 wants micro-batch 1 first, which rank 1 sends only after a backward that needs rank 2.
  const Schedule schedule =
      lower(schedule_from({3, 1, 2}, {"0F0 0F1", "1F0 1B0 1F1", "2F1 2F0 2B0"}));
  const auto blocked = dry_run(schedule);
  ASSERT_EQ(blocked.size(), 2u);
  EXPECT_EQ(blocked[0].rank, Rank{1});
  EXPECT_EQ(to_text(blocked[0].next), "1B0");
  EXPECT_EQ(blocked[0].waits_for, "1RECV_B0, whose send 2SEND_B0 stands behind 2F1 on rank 2");
  EXPECT_EQ(blocked[1].rank, Rank{2});
  EXPECT_EQ(to_text(blocked[1].next), "2F1");
  EXPECT_EQ(blocked[1].waits_for, "2RECV_F1, whose send 1SEND_F1 stands behind 1B0 on rank 1");
}

TEST(DryRun, NamesASendThatNobodyMakes) {
  const auto blocked = dry_run(schedule_from({2, 1, 1}, {"0F0", "1RECV_F0 1F0"}));
  ASSERT_EQ(blocked.size(), 1u);
  EXPECT_EQ(blocked[0].waits_for, "1RECV_F0, whose send 0SEND_F0 is in no list");
}

TEST(DryRun, NamesAReceiveThatIsNotPosted) {
  const auto never = dry_run(schedule_from({2, 1, 1}, {"0F0 0SEND_F0", "1F0"}));
  ASSERT_EQ(never.size(), 1u);
  EXPECT_EQ(never[0].waits_for, "1RECV_F0, which is in no list");
  const auto late = dry_run(schedule_from({2, 1, 1}, {"0F0 0SEND_F0", "1F0 1RECV_F0"}));
  ASSERT_EQ(late.size(), 1u);
  EXPECT_EQ(late[0].waits_for, "1RECV_F0, which stands behind 1F0 on rank 1");
}

TEST(DryRun, SeesAHandOverInsideARank) {
  const auto blocked = dry_run(schedule_from({1, 2, 1}, {"0F0 1F0 0B0 1B0"}));
  ASSERT_EQ(blocked.size(), 1u);
  EXPECT_EQ(to_text(blocked[0].next), "0B0");
  EXPECT_EQ(blocked[0].waits_for, "1B0, which stands behind 0B0 on rank 0");
}

TEST(DryRun, SendsDoNotBlock) {
  // Both ranks send before they receive; with blocking sends this would stand still.
  const Schedule schedule = schedule_from(
      {2, 2, 1}, {"0F0 0SEND_F0 2RECV_F0 2F0 2SEND_F0", "1RECV_F0 1F0 1SEND_F0 3RECV_F0 3F0"});
  EXPECT_TRUE(dry_run(schedule).empty());
}

TEST(CheckRuns, ListsWhatEachRankWaitsFor) {
  EXPECT_EQ(
      error_of([] { check_runs(lower(schedule_from({2, 1, 2}, {"0F0 0B0 0F1", "1F0 1F1 1B0"}))); }),
      "schedule 'sample' would deadlock:\n"
      "  rank 0 stands before 0B0, which waits for 0RECV_B0, whose send 1SEND_B0 stands behind 1F1 "
      "on rank 1\n"
      "  rank 1 stands before 1F1, which waits for 1RECV_F1, whose send 0SEND_F1 stands behind 0B0 "
      "on rank 0");
}

}  // namespace
}  // namespace frostline::pipeline
