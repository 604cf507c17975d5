/// What is known in closed form of the schedules with several chunks a rank. Times are those of a
/// chunk: where the literature speaks of a rank's whole share, that is chunks times as much.
#include <gtest/gtest.h>

#include <algorithm>

#include "pipeline/lower.h"
#include "pipeline/schedules/registry.h"
#include "pipeline/timeline.h"
#include "tests/pipeline/samples.h"

namespace frostline::pipeline {
namespace {

Timeline timeline_of(const char* schedule, const PipelineShape& shape, const EqualStages& times) {
  return longest_path_timeline(lower(make_schedule(schedule, shape)), times);
}

int work_of(const EqualStages& times) {
  return times.forward + times.input_gradient + times.weight_gradient;
}

/// Longest span of a rank less the work of a rank, in ticks.
int bubble_of(const char* schedule, const PipelineShape& shape, const EqualStages& times) {
  const auto work = shape.chunks * shape.micro_batches * work_of(times);
  return static_cast<int>(timeline_of(schedule, shape, times).cost().count()) - work;
}

/// Chunks whose activations a rank holds at most, from F to the end of the backward.
int peak_chunks(const Schedule& schedule, Rank rank) {
  int held = 0;
  int peak = 0;
  for (const Action& action : schedule.actions[rank.index()]) {
    int released = 0;
    for (const Step& step : action.steps()) {
      if (step.kind == ActionKind::kForward) ++held;
      if (step.kind == ActionKind::kBackward || step.kind == ActionKind::kWeightGradient)
        ++released;
    }
    peak = std::max(peak, held);
    held -= released;
  }
  return peak;
}

const std::vector<EqualStages>& stage_times() {
  static const std::vector<EqualStages> kTable{
      {1, 1, 1}, {10, 12, 8}, {2, 3, 1}, {786, 1158, 1515}};
  return kTable;
}

/// Calls `visit` for each shape of a grid that the schedule takes, and says how many there were.
template <class Visit>
int for_each_shape(const char* schedule, int largest_chunks, const Visit& visit) {
  int count = 0;
  for (const int p : {1, 2, 3, 4, 6, 8}) {
    for (int v = 1; v <= largest_chunks; ++v) {
      for (int m = 1; m <= 4 * p; ++m) {
        const PipelineShape shape{p, v, m};
        if (find_schedule(schedule)->refuse(shape)) continue;
        visit(shape);
        ++count;
      }
    }
  }
  return count;
}

std::string text(const PipelineShape& shape) {
  return "p = " + std::to_string(shape.ranks) + ", v = " + std::to_string(shape.chunks) +
         ", m = " + std::to_string(shape.micro_batches);
}

class WholeBackward : public testing::TestWithParam<const char*> {};

/// (p - 1)(F + I + W) / v of a rank's share, from p micro-batches on; the published condition, that
/// p divides m, is narrower.
TEST_P(WholeBackward, HasTheBubbleOfGPipeOverTheChunks) {
  for (const EqualStages& times : stage_times()) {
    const int shapes = for_each_shape(GetParam(), 3, [&](const PipelineShape& shape) {
      if (shape.micro_batches < shape.ranks) return;
      const int bubble = (shape.ranks - 1) * work_of(times);
      EXPECT_EQ(bubble_of(GetParam(), shape, times), bubble) << text(shape);
      EXPECT_NEAR(timeline_of(GetParam(), shape, times).bubble_rate(),
                  (shape.ranks - 1.0) / (shape.chunks * shape.micro_batches + shape.ranks - 1),
                  1e-12);
    });
    EXPECT_GE(shapes, 100);
  }
}

/// With fewer, each of the chunks waits: nothing is gained by them with a single one.
TEST_P(WholeBackward, HasALargerBubbleWithFewerMicroBatchesThanRanks) {
  for (const int v : {1, 2, 3}) {
    EXPECT_EQ(bubble_of(GetParam(), {4, v, 1}, EqualStages(1, 1, 1)), v * 3 * 3);
  }
  EXPECT_EQ(bubble_of(GetParam(), {4, 2, 2}, EqualStages(1, 1, 1)), 15);
}

INSTANTIATE_TEST_SUITE_P(Schedules, WholeBackward,
                         testing::Values("interleaved_1f1b", "looped_bfs"));

/// p (1 + (p - 1) / (p v)) of a rank's share on rank 0, 2 chunks less for each rank further on.
TEST(Interleaved1F1BPeak, IsThatOfItsWarmUpWherePDividesM) {
  for (const int p : {2, 3, 4, 8}) {
    for (const int v : {2, 3, 4}) {
      for (const int m : {2 * p, 3 * p}) {
        const Schedule schedule = make_schedule("interleaved_1f1b", {p, v, m});
        for (const Rank rank : base::ids<Rank>(p)) {
          EXPECT_EQ(peak_chunks(schedule, rank), p * v + p - 1 - 2 * rank.value);
        }
      }
    }
  }
}

/// Where p does not divide m the rounds are longer: (v - 1) m / rounds + 2 p - 1.
TEST(Interleaved1F1BPeak, IsLargerWherePDoesNotDivideM) {
  EXPECT_EQ(peak_chunks(make_schedule("interleaved_1f1b", {4, 2, 8}), {0}), 11);
  EXPECT_EQ(peak_chunks(make_schedule("interleaved_1f1b", {4, 2, 10}), {0}), 12);
  EXPECT_EQ(peak_chunks(make_schedule("interleaved_1f1b", {4, 2, 7}), {0}), 14);  // all of them
}

TEST(LoopedBfsPeak, IsEverything) {
  for_each_shape("looped_bfs", 3, [](const PipelineShape& shape) {
    EXPECT_EQ(peak_chunks(make_schedule("looped_bfs", shape), {0}),
              shape.chunks * shape.micro_batches);
  });
}

/// As ZB-H1's, (p - 1)(F + I - W), but of a chunk: exact for m >= p and W <= min(F, I).
TEST(InterleavedZbBubble, IsThatOfZbH1OverTheChunks) {
  for (const EqualStages& times :
       {EqualStages(1, 1, 1), EqualStages(10, 12, 8), EqualStages(2, 3, 1)}) {
    for_each_shape("interleaved_zb", 3, [&](const PipelineShape& shape) {
      if (shape.micro_batches < shape.ranks) return;
      EXPECT_EQ(bubble_of("interleaved_zb", shape, times),
                (shape.ranks - 1) * (times.forward + times.input_gradient - times.weight_gradient))
          << text(shape);
    });
  }
}

TEST(InterleavedZbBubble, IsAnotherWhereAWeightGradientTakesLonger) {
  const EqualStages times(786, 1158, 1515);
  EXPECT_EQ(bubble_of("interleaved_zb", {4, 1, 8}, times), 3474);  // ZB-H1's known 34.74
  EXPECT_EQ(bubble_of("interleaved_zb", {4, 2, 8}, times), 3474);
  EXPECT_NE(3474, 3 * (786 + 1158 - 1515));
}

TEST(ZbVBubble, IsNoneForEqualTimes) {
  for (const int p : {1, 2, 3, 4, 8}) {
    for (int m = 2 * p - 1; m <= 4 * p; ++m) {
      EXPECT_EQ(bubble_of("zb_v", {p, 2, m}, EqualStages(1, 1, 1)), 0) << text({p, 2, m});
    }
  }
}

TEST(ZbVBubble, IsSomeWithFewMicroBatchesOrOtherTimes) {
  EXPECT_EQ(bubble_of("zb_v", {4, 2, 4}, EqualStages(1, 1, 1)), 6);
  for (const int m : {8, 12}) {
    EXPECT_EQ(bubble_of("zb_v", {4, 2, m}, EqualStages(10, 12, 8)), 24);
    EXPECT_EQ(bubble_of("zb_v", {8, 2, 2 * m}, EqualStages(10, 12, 8)), 56);
  }
}

/// p of a rank's share, two chunks each, on every rank.
TEST(ZbVPeak, IsThatOf1F1BAndBalanced) {
  for (const int p : {1, 2, 4, 8}) {
    for (int m = 2 * p; m <= 4 * p; ++m) {
      const Schedule schedule = make_schedule("zb_v", {p, 2, m});
      for (const Rank rank : base::ids<Rank>(p)) EXPECT_EQ(peak_chunks(schedule, rank), 2 * p);
    }
  }
}

/// With P = 2 p stages (P / 2 - 1)(F&B + B - 3 W), where a pair F&B takes as long as its two.
TEST(DualPipeVBubble, IsTheFormulasForEqualTimes) {
  for (const int p : {1, 2, 3, 4, 8}) {
    for (int m = 2 * p; m <= 4 * p; ++m) {
      EXPECT_EQ(bubble_of("dualpipe_v", {p, 2, m}, EqualStages(1, 1, 1)), (p - 1) * (3 + 2 - 3));
    }
  }
}

TEST(DualPipeVBubble, IsSmallerThanTheFormulasForOtherTimes) {
  const EqualStages times(2, 3, 1);  // the formula: 7, 21, 49
  EXPECT_EQ(bubble_of("dualpipe_v", {2, 2, 8}, times), 6);
  EXPECT_EQ(bubble_of("dualpipe_v", {4, 2, 16}, times), 19);
  EXPECT_EQ(bubble_of("dualpipe_v", {8, 2, 32}, times), 47);
}

TEST(DualPipeVPeak, IsOneChunkMoreThanStages) {
  for (const int p : {1, 2, 4, 8}) {
    for (int m = 2 * p + 1; m <= 4 * p; ++m) {
      const Schedule schedule = make_schedule("dualpipe_v", {p, 2, m});
      for (const Rank rank : base::ids<Rank>(p)) EXPECT_EQ(peak_chunks(schedule, rank), 2 * p + 1);
    }
  }
}

}  // namespace
}  // namespace frostline::pipeline
