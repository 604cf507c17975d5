/// The schedules with several chunks a rank.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "pipeline/schedule_csv.h"
#include "pipeline/schedules/registry.h"
#include "pipeline/validate.h"
#include "tests/pipeline/samples.h"

namespace frostline::pipeline {
namespace {

TEST(Interleaved1F1B, TakesTheChunksInTurn) {
  EXPECT_EQ(to_text(make_schedule("interleaved_1f1b", {2, 2, 2})),
            "rank 0: 0F0 0F1 2F0 2F1 2B0 2B1 0B0 0B1\n"
            "rank 1: 1F0 1F1 3F0 3B0 3F1 3B1 1B0 1B1\n");
}

TEST(LoopedBfs, GoesBackTheWayItCame) {
  EXPECT_EQ(to_text(make_schedule("looped_bfs", {2, 2, 2})),
            "rank 0: 0F0 0F1 2F0 2F1 2B1 2B0 0B1 0B0\n"
            "rank 1: 1F0 1F1 3F0 3F1 3B1 3B0 1B1 1B0\n");
}

TEST(InterleavedZb, PutsWeightGradientsOffByTheRanksNumber) {
  EXPECT_EQ(to_text(make_schedule("interleaved_zb", {2, 1, 2})),
            "rank 0: 0F0 0F1 0I0 0W0 0I1 0W1\n"
            "rank 1: 1F0 1I0 1F1 1I1 1W0 1W1\n");
}

TEST(ZbV, LeavesOutTheMicroBatchesThatAreNotThere) {
  EXPECT_EQ(to_text(make_schedule("zb_v", {2, 2, 1})),
            "rank 0: 0F0 3F0 3I0 3W0 0I0 0W0\n"
            "rank 1: 1F0 2F0 2I0 2W0 1I0 1W0\n");
}

TEST(DualPipeV, OverlapsTheTwoDirections) {
  EXPECT_EQ(to_text(make_schedule("dualpipe_v", {1, 2, 2})),
            "rank 0: 0F0 1F0 0F1 1B0 (1F1;0B0)OVERLAP_F_B 1B1 0I1 0W1\n");
}

TEST(Placement, GoesDownTheRanksAndUpAgain) {
  EXPECT_EQ(v_placement(3), (std::vector<Rank>{{0}, {1}, {2}, {2}, {1}, {0}}));
  EXPECT_EQ(make_schedule("dualpipe_v", {3, 2, 6}).rank_of_stage, v_placement(3));
  EXPECT_EQ(make_schedule("zb_v", {3, 2, 6}).rank_of_stage, v_placement(3));
}

struct PeerFile {
  const char* schedule;
  PipelineShape shape;
};

/// Orders that PyTorch wrote: see data/README.md.
class PeerOrder : public testing::TestWithParam<PeerFile> {};

TEST_P(PeerOrder, IsOurs) {
  const auto& [name, shape] = GetParam();
  const Schedule peer = read_schedule_csv(fmt::format(
      "{}/{}_{}x{}x{}.csv", DATA_DIR, name, shape.ranks, shape.chunks, shape.micro_batches));
  const Schedule ours = make_schedule(name, shape);
  EXPECT_EQ(peer.shape, shape);
  EXPECT_EQ(peer.rank_of_stage, ours.rank_of_stage);
  EXPECT_EQ(to_text(peer), to_text(ours));
}

INSTANTIATE_TEST_SUITE_P(
    Files, PeerOrder,
    testing::Values(PeerFile{"interleaved_1f1b", {2, 2, 4}},
                    PeerFile{"interleaved_1f1b", {3, 3, 8}}, PeerFile{"looped_bfs", {2, 2, 4}},
                    PeerFile{"looped_bfs", {3, 3, 2}}, PeerFile{"interleaved_zb", {2, 2, 4}},
                    PeerFile{"interleaved_zb", {3, 3, 8}}, PeerFile{"zb_v", {2, 2, 4}},
                    PeerFile{"zb_v", {4, 2, 5}}, PeerFile{"dualpipe_v", {2, 2, 4}},
                    PeerFile{"dualpipe_v", {4, 2, 9}}));

class EveryKind : public testing::TestWithParam<std::string> {};

/// What a list holds at the end of the step is nothing; the sizes say how often each step stands.
TEST_P(EveryKind, IsSoundWhereItDoesNotRefuse) {
  const ScheduleKind& kind = *find_schedule(GetParam());
  int sound = 0;
  for (int ranks = 1; ranks <= 5; ++ranks) {
    for (int chunks = 1; chunks <= 3; ++chunks) {
      for (int m = 1; m <= 3 * ranks + 1; ++m) {
        const PipelineShape shape{ranks, chunks, m};
        if (kind.refuse(shape)) continue;
        const Schedule schedule = kind.make(shape);
        EXPECT_THAT(find_faults(schedule), testing::IsEmpty()) << to_text(schedule);
        ++sound;
      }
    }
  }
  EXPECT_GE(sound, 10);
}

INSTANTIATE_TEST_SUITE_P(Registered, EveryKind, testing::ValuesIn(schedule_names()),
                         [](const auto& tested) { return "s" + tested.param; });

struct Refusal {
  const char* schedule;
  PipelineShape shape;
  std::string text;
};

class Refuses : public testing::TestWithParam<Refusal> {};

TEST_P(Refuses, WithRuleNumbersAndMend) {
  const auto& [name, shape, text] = GetParam();
  EXPECT_EQ(find_schedule(name)->refuse(shape).value_or("nothing"), text);
}

INSTANTIATE_TEST_SUITE_P(
    Texts, Refuses,
    testing::Values(
        Refusal{"interleaved_1f1b",
                {4, 2, 9},
                "interleaved_1f1b takes the micro-batches in micro_batches / ranks (rounded down) "
                "rounds of equal size, but micro_batches = 9 with ranks = 4 is not a multiple of "
                "2; use micro_batches = 8 or 10"},
        Refusal{"interleaved_zb",
                {4, 2, 14},
                "interleaved_zb takes the micro-batches in micro_batches / ranks (rounded down) "
                "rounds of equal size, but micro_batches = 14 with ranks = 4 is not a multiple of "
                "3; use micro_batches = 12 or 15"},
        Refusal{"interleaved_1f1b", {4, 2, 3}, "nothing"},
        Refusal{"interleaved_1f1b", {4, 2, 7}, "nothing"},
        Refusal{"looped_bfs", {4, 3, 5}, "nothing"},
        Refusal{"zb_v", {4, 1, 8}, "zb_v holds two stages a rank, but chunks = 1; use chunks = 2"},
        Refusal{"zb_v", {4, 2, 1}, "nothing"},
        Refusal{"dualpipe_v",
                {4, 3, 8},
                "dualpipe_v holds two stages a rank, but chunks = 3; use chunks = 2"},
        Refusal{"dualpipe_v",
                {4, 2, 7},
                "dualpipe_v needs as many micro-batches as stages (2 x ranks = 8), but "
                "micro_batches = 7; use at least 8"}));

}  // namespace
}  // namespace frostline::pipeline
