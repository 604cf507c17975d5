#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "pipeline/lower.h"
#include "pipeline/schedules/gpipe.h"
#include "pipeline/schedules/one_f_one_b.h"
#include "pipeline/schedules/zb_h1.h"
#include "pipeline/schedules/zb_h2.h"
#include "pipeline/validate.h"
#include "tests/pipeline/samples.h"

namespace frostline::pipeline {
namespace {

TEST(Gpipe, DoesAllForwardsThenAllBackwards) {
  EXPECT_EQ(to_text(kGPipe.make({2, 1, 3})),
            "rank 0: 0F0 0F1 0F2 0B0 0B1 0B2\n"
            "rank 1: 1F0 1F1 1F2 1B0 1B1 1B2\n");
}

TEST(OneFOneB, WarmsUpThenAlternates) {
  EXPECT_EQ(to_text(kOneFOneB.make({3, 1, 4})),
            "rank 0: 0F0 0F1 0F2 0B0 0F3 0B1 0B2 0B3\n"
            "rank 1: 1F0 1F1 1B0 1F2 1B1 1F3 1B2 1B3\n"
            "rank 2: 2F0 2B0 2F1 2B1 2F2 2B2 2F3 2B3\n");
}

TEST(OneFOneB, RunsWithFewerMicroBatchesThanRanks) {
  EXPECT_EQ(to_text(kOneFOneB.make({3, 1, 1})),
            "rank 0: 0F0 0B0\n"
            "rank 1: 1F0 1B0\n"
            "rank 2: 2F0 2B0\n");
}

TEST(ZbH1, WarmsUpAs1F1BAndWeightGradientsLagByTheRank) {
  EXPECT_EQ(to_text(kZbH1.make({3, 1, 4})),
            "rank 0: 0F0 0F1 0F2 0I0 0W0 0F3 0I1 0W1 0I2 0W2 0I3 0W3\n"
            "rank 1: 1F0 1F1 1I0 1F2 1I1 1W0 1F3 1I2 1W1 1I3 1W2 1W3\n"
            "rank 2: 2F0 2I0 2F1 2I1 2F2 2I2 2W0 2F3 2I3 2W1 2W2 2W3\n");
}

TEST(ZbH2, DoublesWarmUpAndLag) {
  EXPECT_EQ(to_text(kZbH2.make({3, 1, 5})),
            "rank 0: 0F0 0F1 0F2 0F3 0F4 0I0 0W0 0I1 0W1 0I2 0W2 0I3 0W3 0I4 0W4\n"
            "rank 1: 1F0 1F1 1F2 1I0 1F3 1I1 1F4 1I2 1W0 1I3 1W1 1I4 1W2 1W3 1W4\n"
            "rank 2: 2F0 2I0 2F1 2I1 2F2 2I2 2F3 2I3 2F4 2I4 2W0 2W1 2W2 2W3 2W4\n");
}

TEST(ZbH2, RunsWithFewerMicroBatchesThanRanks) {
  EXPECT_EQ(to_text(kZbH2.make({3, 1, 1})),
            "rank 0: 0F0 0I0 0W0\n"
            "rank 1: 1F0 1I0 1W0\n"
            "rank 2: 2F0 2I0 2W0\n");
}

/// The most forwards whose backward is still to come.
int peak_activations(const std::vector<Action>& actions) {
  int live = 0;
  int peak = 0;
  for (const Action& action : actions) {
    live += action.first().kind == ActionKind::kForward ? 1 : -1;
    peak = std::max(peak, live);
  }
  return peak;
}

TEST(Schedules, AreSoundAndHoldTheKnownActivations) {
  for (int p = 1; p <= 6; ++p) {
    for (int m = 1; m <= 2 * p; ++m) {
      const Schedule gpipe = make_schedule("gpipe", {p, 1, m});
      const Schedule one_f_one_b = make_schedule("1f1b", {p, 1, m});
      EXPECT_TRUE(find_faults(gpipe).empty());
      EXPECT_TRUE(find_faults(one_f_one_b).empty());
      for (int rank = 0; rank < p; ++rank) {
        const auto i = static_cast<std::size_t>(rank);
        EXPECT_EQ(peak_activations(gpipe.actions[i]), m);
        EXPECT_EQ(peak_activations(one_f_one_b.actions[i]), std::min(m, p - rank));
        EXPECT_EQ(gpipe.actions[i].size(), static_cast<std::size_t>(2 * m));
        EXPECT_EQ(one_f_one_b.actions[i].size(), static_cast<std::size_t>(2 * m));
      }
    }
  }
}

TEST(Schedules, AreFoundByName) {
  EXPECT_EQ(schedule_names().front(), "gpipe");
  EXPECT_EQ(find_schedule("1f1b")->name, "1f1b");
  EXPECT_EQ(find_schedule("2f2b"), nullptr);
  EXPECT_EQ(make_schedule("gpipe", {2, 1, 2}).name, "gpipe");
}

TEST(Schedules, RefuseWithRuleNumbersAndMend) {
  EXPECT_EQ(*kOneFOneB.refuse({2, 3, 4}),
            "1f1b holds one stage a rank, but chunks = 3; use chunks = 1");
  EXPECT_EQ(kOneFOneB.refuse({2, 1, 1}), std::nullopt);
  EXPECT_EQ(
      error_of([] { make_schedule("gpipe", {2, 2, 4}); }),
      "schedule 'gpipe' cannot run: gpipe holds one stage a rank, but chunks = 2; use chunks = 1");
  EXPECT_EQ(error_of([] { make_schedule("gpipe", {2, 1, 0}); }),
            "schedule 'gpipe' cannot run: ranks = 2, chunks = 1, micro_batches = 0; "
            "use at least 1 of each");
  EXPECT_EQ(error_of([] { make_schedule("gpip", {2, 1, 4}); }),
            fmt::format("there is no schedule 'gpip'; use one of {}; did you mean 'gpipe'?",
                        fmt::join(schedule_names(), ", ")));
}

TEST(Schedules, LoseTheirTransfersAgain) {
  const Schedule schedule = make_schedule("1f1b", {3, 1, 4});
  EXPECT_NE(lower(schedule), schedule);
  EXPECT_EQ(computations_of(lower(schedule)), schedule);
}

TEST(Schedules, PlaceStagesRoundTheRanks) {
  EXPECT_EQ(looped_placement({3, 2, 1}), (std::vector<Rank>{{0}, {1}, {2}, {0}, {1}, {2}}));
}

}  // namespace
}  // namespace frostline::pipeline
