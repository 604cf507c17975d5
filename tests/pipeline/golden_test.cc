/// Timelines of GPipe and 1F1B with frozen stages, against files that were checked by hand. After a
/// change that is meant, run with FROSTLINE_ACCEPT=1 in the environment and read the difference.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdlib>

#include "base/file.h"
#include "pipeline/schedules/registry.h"
#include "pipeline/timeline.h"
#include "tests/pipeline/samples.h"

namespace frostline::pipeline {
namespace {

constexpr int kRanks = 4;

struct GoldenCase {
  std::string schedule;
  int micro_batches;
};

/// With F = I = W = 1. The first: 3 ticks for each of m + 3 micro-batches. Below the line a stage
/// delays its successors by one forward and no more. A frozen stage further up saves its last W.
struct Frozen {
  const char* mask;
  int (*makespan)(int m);
};
constexpr Frozen kFrozen[] = {
    {"0000", [](int m) { return 3 * (m + 3); }},
    {"1000", [](int m) { return 1 + 3 * (m + 2); }},
    {"1100", [](int m) { return 2 + 3 * (m + 1); }},
    {"0100", [](int m) { return 3 * (m + 3) - 1; }},
};

Timeline timeline_of(const GoldenCase& golden, const char* mask) {
  const Plan plan{make_schedule(golden.schedule, {kRanks, 1, golden.micro_batches}),
                  Partition::even(kRanks, kRanks), FreezePlan(FreezeMask::from_text(mask)),
                  Cut::kPrefix};
  return longest_path_timeline(executable_schedule(plan, UnitTable::of_layers(kRanks)),
                               EqualStages());
}

std::string golden_text(const GoldenCase& golden) {
  std::string text;
  for (const Frozen& frozen : kFrozen) {
    const Timeline timeline = timeline_of(golden, frozen.mask);
    text += fmt::format("frozen {}: makespan {}\n{}\n", frozen.mask, timeline.makespan() / kTick,
                        timeline.text(kTick));
  }
  return text;
}

class Golden : public testing::TestWithParam<GoldenCase> {};

TEST_P(Golden, TimelineIsAsAccepted) {
  const std::string file =
      fmt::format("{}/{}_m{}.txt", GOLDEN_DIR, GetParam().schedule, GetParam().micro_batches);
  const std::string text = golden_text(GetParam());
  if (std::getenv("FROSTLINE_ACCEPT") != nullptr) base::write_file_atomically(file, text);
  EXPECT_EQ(text, base::read_file(file)) << file;
}

TEST_P(Golden, MakespanIsAsWorkedOut) {
  for (const Frozen& frozen : kFrozen) {
    EXPECT_EQ(timeline_of(GetParam(), frozen.mask).makespan() / kTick,
              frozen.makespan(GetParam().micro_batches))
        << frozen.mask;
  }
}

std::vector<GoldenCase> cases() {
  std::vector<GoldenCase> all;
  for (const char* schedule : {"gpipe", "1f1b"}) {
    for (int m = 4; m <= 8; ++m) all.push_back({schedule, m});
  }
  return all;
}

std::string name_of(const testing::TestParamInfo<GoldenCase>& info) {
  return fmt::format("{}_m{}", info.param.schedule, info.param.micro_batches);
}

INSTANTIATE_TEST_SUITE_P(Timelines, Golden, testing::ValuesIn(cases()), name_of);

}  // namespace
}  // namespace frostline::pipeline
