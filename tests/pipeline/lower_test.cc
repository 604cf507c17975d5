#include "pipeline/lower.h"

#include <gtest/gtest.h>

#include "pipeline/schedules/registry.h"
#include "tests/pipeline/samples.h"

namespace frostline::pipeline {
namespace {

TEST(Lower, PutsReceivesBeforeAndSendsAfterTheirComputation) {
  EXPECT_EQ(to_text(lower(make_schedule("1f1b", {3, 1, 1}))),
            "rank 0: 0F0 0SEND_F0 0RECV_B0 0B0\n"
            "rank 1: 1RECV_F0 1F0 1SEND_F0 1RECV_B0 1B0 1SEND_B0\n"
            "rank 2: 2RECV_F0 2F0 2B0 2SEND_B0\n");
}

TEST(Lower, ASplitBackwardSendsAfterItsInputGradient) {
  EXPECT_EQ(to_text(lower(split_backward(make_schedule("gpipe", {2, 1, 1})))),
            "rank 0: 0F0 0SEND_F0 0RECV_B0 0I0 0W0\n"
            "rank 1: 1RECV_F0 1F0 1I0 1SEND_B0 1W0\n");
}

TEST(Lower, NoGradientGoesWhereThereIsNoBackward) {
  EXPECT_EQ(to_text(lower(schedule_from({2, 1, 2}, {"0F0 0F1 0B1", "1F0 1F1 1B0 1B1"}))),
            "rank 0: 0F0 0SEND_F0 0F1 0SEND_F1 0RECV_B1 0B1\n"
            "rank 1: 1RECV_F0 1F0 1RECV_F1 1F1 1B0 1B1 1SEND_B1\n");
}

TEST(Lower, StagesOfOneRankExchangeNothing) {
  const Schedule schedule = breadth_first({1, 2, 1});
  EXPECT_EQ(to_text(lower(schedule)), "rank 0: 0F0 1F0 1B0 0B0\n");
  EXPECT_EQ(to_text(lower(breadth_first({2, 2, 1}))),
            "rank 0: 0F0 0SEND_F0 2RECV_F0 2F0 2SEND_F0 2RECV_B0 2B0 2SEND_B0 0RECV_B0 0B0\n"
            "rank 1: 1RECV_F0 1F0 1SEND_F0 3RECV_F0 3F0 3B0 3SEND_B0 1RECV_B0 1B0 1SEND_B0\n");
}

TEST(Lower, AnOverlappedPairKeepsItsTransfersAroundIt) {
  const Schedule schedule =
      schedule_from({2, 1, 2}, {"0F0 0F1 0B0 0B1", "1F0 (1F1;1B0)OVERLAP_F_B 1B1"});
  EXPECT_EQ(to_text(lower(schedule)),
            "rank 0: 0F0 0SEND_F0 0F1 0SEND_F1 0RECV_B0 0B0 0RECV_B1 0B1\n"
            "rank 1: 1RECV_F0 1F0 1RECV_F1 (1F1;1B0)OVERLAP_F_B 1SEND_B0 1B1 1SEND_B1\n");
}

TEST(Lower, OtherKindsStayWhereTheyAre) {
  EXPECT_EQ(to_text(lower(schedule_from({1, 1, 1}, {"0UNSHARD 0F0 0B0 0REDUCE_GRAD"}))),
            "rank 0: 0UNSHARD 0F0 0B0 0REDUCE_GRAD\n");
}

TEST(Lower, TwiceIsOnce) {
  const Schedule once = lower(make_schedule("1f1b", {3, 1, 5}));
  EXPECT_EQ(lower(once), once);
}

}  // namespace
}  // namespace frostline::pipeline
