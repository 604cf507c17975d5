#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>

#include "base/bytes.h"
#include "base/file.h"
#include "tests/app/command_runner.h"
#include "tests/base/temporary_folder.h"

namespace frostline::app {
namespace {

using testing::HasSubstr;
using testing::Not;

TEST(Simulate, TheZeroBubbleScenarioGivesThePublishedBubbleRate) {
  const auto result = frostline("simulate scenarios/zero_bubble_1_5b.toml --json");
  ASSERT_EQ(result.exit_code, 0) << result.err;
  const auto run = result.json();
  EXPECT_NEAR(run.at("bubble_rate").get<double>(), 0.2431, 5e-5);  // arXiv 2401.10241, table 5
  EXPECT_EQ(run.at("rank_bubble_rate").size(), 8u);
  EXPECT_EQ(run.at("peak_activations"), (std::vector<double>{8, 7, 6, 5, 4, 3, 2, 1}));
  EXPECT_EQ(run.at("steps"), 100);
  EXPECT_TRUE(run.at("score").is_null());
}

TEST(Simulate, TotalTimeIsTheStepsTimes) {
  const auto run =
      frostline("simulate scenarios/zero_bubble_1_5b.toml --json --set train.steps=7").json();
  EXPECT_NEAR(run.at("total_time_s").get<double>(), 7 * run.at("step_time_ms").get<double>() / 1e3,
              1e-9);
}

// Eight stages of F = I = W = 10 ms, 32 micro-batches, 0.5 ms a hop: with four stages frozen the
// last four keep a backward of 20 ms, the fifth one too, and no gradient travels below.
TEST(Simulate, AFrozenPrefixShortensTheStep) {
  const auto frozen = frostline("simulate scenarios/frozen_prefix.toml --json").json();
  const auto whole = frostline(
                         "simulate scenarios/frozen_prefix.toml --json --set freeze.policy=none "
                         "--set freeze.frozen_layers=0")
                         .json();
  EXPECT_LT(frozen.at("step_time_ms").get<double>(), whole.at("step_time_ms").get<double>());
  EXPECT_EQ(frozen.at("frost_line"), 4);
  EXPECT_EQ(frozen.at("frozen_share"), 0.5);
  EXPECT_EQ(frozen.at("peak_activations")[0], 0.0);
}

TEST(Simulate, TheSameBytesTwice) {
  const std::string line = "simulate scenarios/frozen_prefix.toml --json";
  EXPECT_EQ(frostline(line).out, frostline(line).out);
}

// Four steps are two segments of two steps, each with a checkpoint of 1 s; it takes 2 + 3 + 1 s to
// go on (cost/long_run.h). Four devices that fail every 0.04 h: a failure every 36 s.
TEST(Simulate, SaysWhatFailuresCost) {
  const std::string line =
      "simulate scenarios/gpt_three_regions.toml --set train.steps=4 --set "
      "train.checkpoint_every=2 "
      "--set cost.checkpoint_ms=1000 --set cluster.failure_detection_s=2 "
      "--set cluster.failure_restart_s=3 --set cluster.failure_mtbf_h=0.04";
  const auto result = frostline(line + " --json");
  ASSERT_EQ(result.exit_code, 0) << result.err;
  const auto run = result.json();
  const double work = run.at("total_time_s");
  const double expected = 36 * std::exp(6.0 / 36) * 2 * std::expm1((work / 2 + 1) / 36);
  EXPECT_NEAR(run.at("expected_time_s"), expected, 1e-6);
  EXPECT_NEAR(run.at("goodput"), work / expected, 1e-9);
  EXPECT_LE(run.at("best_checkpoint_interval_s"), work);
  EXPECT_GT(run.at("best_checkpoint_interval_s"), 0.0);
  EXPECT_THAT(frostline(line).out, HasSubstr("With failures: expected time "));
}

TEST(Simulate, SaysNothingOfFailuresThatNeverCome) {
  const auto run = frostline("simulate scenarios/gpt_three_regions.toml --json").json();
  EXPECT_FALSE(run.contains("expected_time_s"));
}

TEST(Simulate, SaysWhatToChangeIfARunHardlyEnds) {
  const auto result = frostline(
      "simulate scenarios/gpt_three_regions.toml --set train.steps=1000 "
      "--set train.checkpoint_every=0 --set cluster.failure_mtbf_h=0.01");
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_THAT(result.err, HasSubstr("more than 146 years with a failure every 9 s"));
}

TEST(Simulate, DerivesTimesFromTheModelAndTheDevices) {
  const std::string line = "simulate scenarios/gpt_three_regions.toml --json --set train.steps=1";
  const auto run = frostline(line);
  ASSERT_EQ(run.exit_code, 0) << run.err;
  const auto slower = frostline(line + " --set cluster.region_gbit_s=1");
  EXPECT_LT(run.json().at("step_time_ms").get<double>(),
            slower.json().at("step_time_ms").get<double>());
  const auto refused = frostline(line + " --set model.kind=\\\"\\\"");
  EXPECT_EQ(refused.exit_code, 2);
  EXPECT_THAT(refused.err, HasSubstr("cost.source = \"analytic\" needs a model"));
}

const char* const kSmallGpt =
    "[pipeline]\nranks = 2\nmicro_batches = 4\n[cost]\nsource = 'analytic'\n"
    "[model]\nkind = 'gpt'\nblocks = 2\nwidth = 8\nheads = 2\nsequence = 4\n"
    "vocabulary = 32\n[train]\nbatch = 4\nsteps = 1\n"
    "[cluster]\ndevices = 'a100'\n";

std::int64_t sum(const nlohmann::json& numbers) {
  std::int64_t sum = 0;
  for (const auto& number : numbers) sum += number.get<std::int64_t>();
  return sum;
}

/// Every learnable number takes 4 + 4 + 8 bytes, and the parts add up to the peak.
TEST(Simulate, SaysWhatEachRankHoldsAtItsPeak) {
  const base::TemporaryFolder folder;
  base::write_file_atomically(folder / "s.toml", kSmallGpt);
  const auto result = frostline("simulate s.toml --json", folder.path());
  ASSERT_EQ(result.exit_code, 0) << result.err;
  const auto run = result.json();
  const auto checked = frostline("check s.toml --json", folder.path()).json();
  const auto parameters = checked.at("model").at("parameters").get<std::int64_t>();
  const auto& parts = run.at("memory_parts");
  EXPECT_EQ(sum(parts.at("weights")), 4 * parameters);
  EXPECT_EQ(sum(parts.at("gradients")), 4 * parameters);
  EXPECT_EQ(sum(parts.at("optimizer")), 8 * parameters);
  for (std::size_t rank = 0; rank < 2; ++rank) {
    std::int64_t whole = 0;
    for (const auto& part : parts) whole += part[rank].get<std::int64_t>();
    EXPECT_EQ(run.at("peak_memory_bytes")[rank], whole);
    EXPECT_GT(run.at("peak_memory_at_ms")[rank], 0.0);
    EXPECT_LT(run.at("peak_memory_at_ms")[rank], run.at("step_time_ms"));
  }
}

/// Two ranks of two blocks each, 1 MiB and more a rank.
const char* const kLargerGpt =
    "[pipeline]\nranks = 2\nmicro_batches = 8\nschedule = 'gpipe'\n[cost]\nsource = 'analytic'\n"
    "[model]\nkind = 'gpt'\nblocks = 6\nwidth = 64\nheads = 4\nsequence = 64\n"
    "vocabulary = 128\n[train]\nbatch = 8\nsteps = 1\n[cluster]\ndevices = 'a100'\n";

class OutOfMemory : public testing::Test {
 protected:
  OutOfMemory() { base::write_file_atomically(folder_ / "s.toml", kLargerGpt); }

  CommandResult simulate(const std::string& more) const {
    return frostline("simulate s.toml --json" + more, folder_.path());
  }
  /// The largest peak of any rank.
  std::int64_t peak(const std::string& more) const {
    const auto run = simulate(more);
    EXPECT_EQ(run.exit_code, 0) << run.err;
    const auto peaks = run.json().at("peak_memory_bytes").get<std::vector<std::int64_t>>();
    return *std::max_element(peaks.begin(), peaks.end());
  }
  /// An option that gives every device so much memory.
  static std::string with_memory(std::int64_t bytes) {
    return fmt::format(" --set cluster.memory_gib={}", static_cast<double>(bytes) / (1LL << 30));
  }

  base::TemporaryFolder folder_;
};

TEST_F(OutOfMemory, IsRefusedBeforeTheRunWithWhatWouldFit) {
  const auto whole = peak("");
  EXPECT_EQ(simulate(with_memory(whole)).exit_code, 0);  // to the byte
  const auto refused = simulate(with_memory(whole - 1) + " --out run");
  EXPECT_EQ(refused.exit_code, 2);
  EXPECT_EQ(std::count(refused.err.begin(), refused.err.end(), '\n'), 1);
  EXPECT_FALSE(std::filesystem::exists(folder_ / "run"));
  const auto run = simulate("").json();
  const auto& peaks = run.at("peak_memory_bytes");
  const std::size_t rank = peaks[0] == whole ? 0 : 1;
  EXPECT_THAT(refused.err, HasSubstr(fmt::format("rank {} runs out of memory: at {:.3f} ms", rank,
                                                 run.at("peak_memory_at_ms")[rank].get<double>())));
  EXPECT_THAT(refused.err, HasSubstr(", 1 bytes more than the "));
  EXPECT_THAT(refused.err, HasSubstr("of its a100; it fits with "));
  for (const auto* change : {"pipeline.schedule=1f1b", "pipeline.recompute=full"}) {
    const auto less = base::to_text(base::Bytes{peak(std::string(" --set ") + change)});
    EXPECT_THAT(refused.err, HasSubstr(fmt::format("\" (peak {})", less))) << change;
  }
  EXPECT_THAT(refused.err, HasSubstr("pipeline.recompute = \"full\" (peak"));
  EXPECT_THAT(refused.err, HasSubstr("pipeline.schedule = \"1f1b\" (peak"));
  EXPECT_THAT(refused.err, HasSubstr("pipeline.ranks = 4 (peak"));
}

TEST_F(OutOfMemory, ThatNothingMendsIsSaidToBeSo) {
  const auto refused = simulate(" --set cluster.memory_gib=1e-6");
  EXPECT_EQ(refused.exit_code, 2);
  EXPECT_THAT(refused.err, HasSubstr("(of 2 ranks that do not fit it lacks most)"));
  EXPECT_THAT(refused.err, HasSubstr("it would fit neither with recomputation nor with another "
                                     "schedule of this shape or more ranks"));
}

/// A change is named only if the scenario with it fits.
TEST_F(OutOfMemory, NamesNoChangeThatDoesNotFit) {
  const auto recomputing = peak(" --set pipeline.recompute=full");
  const auto refused = simulate(with_memory(recomputing));
  EXPECT_EQ(refused.exit_code, 2);
  EXPECT_THAT(refused.err, HasSubstr("pipeline.recompute = \"full\""));
  EXPECT_THAT(refused.err, Not(HasSubstr("pipeline.schedule = ")));
}

TEST_F(OutOfMemory, IsReportedWhereThatIsAskedFor) {
  const auto run = simulate(" --set cluster.memory_gib=1e-6 --set cluster.memory_check=report");
  ASSERT_EQ(run.exit_code, 0) << run.err;
  EXPECT_THAT(run.json().at("memory_problem").get<std::string>(), HasSubstr("runs out of memory"));
  EXPECT_EQ(run.json().at("device_memory_bytes"), (std::vector<std::int64_t>{1074, 1074}));
  EXPECT_FALSE(simulate("").json().contains("memory_problem"));
}

TEST(Simulate, RecomputationTakesAForwardMoreForEachBackward) {
  const std::string line =
      "simulate scenarios/frozen_prefix.toml --json --set freeze.policy=none --set "
      "freeze.frozen_layers=0 --set cost.send_ms=0 --set cost.message_mib=0.25";
  const auto kept = frostline(line).json();
  const auto anew = frostline(line + " --set pipeline.recompute=full").json();
  EXPECT_DOUBLE_EQ(kept.at("step_time_ms").get<double>(), (32 + 8 - 1) * 30.0);
  EXPECT_DOUBLE_EQ(anew.at("step_time_ms").get<double>(), (32 + 8 - 1) * 40.0);
  EXPECT_EQ(anew.at("peak_activation_bytes")[1], (1 << 20) + 7 * (1 << 18));
}

TEST(Simulate, LeavesOutWhatNoModelTells) {
  const auto run = frostline("simulate scenarios/frozen_prefix.toml --json").json();
  EXPECT_FALSE(run.at("memory_parts").contains("weights"));
  EXPECT_EQ(run.at("peak_memory_bytes"), run.at("peak_activation_bytes"));
  const auto table = frostline("simulate scenarios/frozen_prefix.toml");
  EXPECT_THAT(table.out, HasSubstr("peak memory"));
  EXPECT_THAT(table.out, Not(HasSubstr("weights")));
  const auto refused = frostline("simulate scenarios/frozen_prefix.toml --set cost.weight_bytes=2");
  EXPECT_EQ(refused.exit_code, 2);
  EXPECT_THAT(refused.err, HasSubstr("cost.weight_bytes has no effect without a model"));
  const auto kept =
      frostline("simulate scenarios/frozen_prefix.toml --set freeze.optimizer_state=release");
  EXPECT_EQ(kept.exit_code, 2);
  EXPECT_THAT(kept.err, HasSubstr("has no effect without a model"));
}

TEST(Simulate, ATimeBudgetEndsTheRun) {
  const auto run = frostline(
                       "simulate scenarios/zero_bubble_1_5b.toml --json --set train.budget=time "
                       "--set train.time_s=60")
                       .json();
  EXPECT_GE(run.at("total_time_s").get<double>(), 60.0);
  EXPECT_LT(run.at("total_time_s").get<double>() - run.at("step_time_ms").get<double>() / 1e3,
            60.0);
}

TEST(Simulate, ARunsFolderCanBeComparedAndReplayed) {
  const base::TemporaryFolder folder;
  const auto first = (folder / "a").string();
  const auto second = (folder / "b").string();
  ASSERT_EQ(frostline("simulate scenarios/frozen_prefix.toml --out " + first).exit_code, 0);
  const auto replay = frostline(
      "simulate scenarios/frozen_prefix.toml --json --set freeze.policy=file --set "
      "freeze.frozen_layers=0 --set freeze.file=" +
      first + " --out " + second);
  ASSERT_EQ(replay.exit_code, 0) << replay.err;
  EXPECT_EQ(replay.json().at("frost_line"), 4);
  const auto table = frostline("compare " + first + " " + second);
  EXPECT_EQ(table.exit_code, 0);
  for (const auto* row :
       {"freeze policy", "steps done", "step time at the end", "frozen share", "files"})
    EXPECT_THAT(table.out, HasSubstr(row));
}

TEST(Simulate, AnExistingRunIsNotOverwritten) {
  const base::TemporaryFolder folder;
  const auto line = "simulate scenarios/frozen_prefix.toml --out " + (folder / "a").string();
  ASSERT_EQ(frostline(line).exit_code, 0);
  const auto again = frostline(line);
  EXPECT_EQ(again.exit_code, 1);
  EXPECT_THAT(again.err, HasSubstr("already there"));
}

TEST(Simulate, ThousandsOfRanksTakeSeconds) {
  const auto result = frostline(
      "simulate scenarios/zero_bubble_1_5b.toml --json --set pipeline.ranks=2048 "
      "--set pipeline.micro_batches=4 --set train.steps=2");
  ASSERT_EQ(result.exit_code, 0) << result.err;
  EXPECT_EQ(result.json().at("rank_bubble_rate").size(), 2048u);
}

TEST(Simulate, EverySchedulesRuleIsListed) {
  const auto listed = frostline("simulate --list-schedules");
  EXPECT_EQ(listed.exit_code, 0) << listed.err;
  EXPECT_THAT(listed.out,
              HasSubstr("zb_v              Zero bubble with two chunks a rank, down the "
                        "ranks and up again. Takes chunks = 2.\n"));
  const auto all = frostline("simulate --list-schedules --json").json();
  EXPECT_EQ(all.size(), std::count(listed.out.begin(), listed.out.end(), '\n'));
  EXPECT_EQ(all[0].at("name"), "gpipe");
}

const char* const kTwoChunks =
    "[pipeline]\nranks = 2\nchunks = 2\nmicro_batches = 4\nschedule = 'dualpipe_v'\n"
    "[cost]\nsource = 'table'\nforward_ms = [1]\ninput_gradient_ms = [1]\n"
    "weight_gradient_ms = [1]\nsend_ms = 0.1\n[train]\nsteps = 1\n";

/// Both formats read back as a schedule that takes the same time.
TEST(Simulate, AScheduleThatWasWrittenCanBeRead) {
  const base::TemporaryFolder folder;
  base::write_file_atomically(folder / "s.toml", kTwoChunks);
  for (const std::string format : {"compute_only", "compute_comms"}) {
    const auto first = frostline(
        "simulate s.toml --json --schedule-out o.csv --schedule-format " + format, folder.path());
    ASSERT_EQ(first.exit_code, 0) << first.err;
    EXPECT_EQ(format == "compute_comms",
              base::read_file(folder / "o.csv").find("SEND_F") != std::string::npos);
    const auto again =
        frostline("simulate s.toml --json --set pipeline.schedule=file:o.csv", folder.path());
    ASSERT_EQ(again.exit_code, 0) << again.err;
    EXPECT_EQ(again.json().at("step_time_ms"), first.json().at("step_time_ms"));
  }
}

/// 3 ms is the sum of a pair's F, I and W.
TEST(Simulate, OverlappedPairsHaveTheirOwnCost) {
  const base::TemporaryFolder folder;
  base::write_file_atomically(folder / "s.toml", kTwoChunks);
  const auto step_time = [&](const std::string& more) {
    return frostline("simulate s.toml --json" + more, folder.path())
        .json()
        .at("step_time_ms")
        .get<double>();
  };
  EXPECT_EQ(step_time(""), step_time(" --set cost.overlap_ms=3"));
  EXPECT_LT(step_time(" --set cost.overlap_ms=2.5"), step_time(""));
}

TEST(Simulate, AScheduleFileOfAnotherShapeIsRefused) {
  const base::TemporaryFolder folder;
  base::write_file_atomically(folder / "s.toml", kTwoChunks);
  base::write_file_atomically(folder / "o.csv", "0F0,0B0\n1F0,1B0\n");
  const auto result =
      frostline("simulate s.toml --set pipeline.schedule=file:o.csv", folder.path());
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_THAT(result.err,
              HasSubstr("the file is made for ranks = 2, chunks = 1, micro_batches = 1, "
                        "but the scenario has ranks = 2, chunks = 2, micro_batches = "
                        "4; set ranks = 2, chunks = 1, micro_batches = 1"));
}

TEST(Simulate, AnInterruptedRunEndsWithCode1) {
  const auto result = frostline(
      "simulate scenarios/frozen_prefix.toml --set train.steps=1000000000 & pid=$!; "
      "sleep 0.5; kill -INT $pid; wait $pid");
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_THAT(result.err, HasSubstr("interrupted after step"));
}

TEST(Simulate, TheCriticalPathAddsUpToThePipelinesTime) {
  const auto run =
      frostline("simulate scenarios/zero_bubble_1_5b.toml --json --critical-path").json();
  const auto& path = run.at("critical_path");
  EXPECT_EQ(path.at("time_ms"), run.at("pipeline_time_ms"));
  double now = 0;
  for (const auto& step : path.at("steps")) {
    EXPECT_NEAR(step.at("start_ms").get<double>(), now + step.at("transfer_ms").get<double>(),
                1e-9);
    now = step.at("end_ms");
  }
  EXPECT_EQ(now, run.at("pipeline_time_ms"));
  double time = path.at("transfer_ms");
  for (const auto& rank : path.at("ranks")) time += rank.at("time_ms").get<double>();
  EXPECT_NEAR(time, now, 1e-9);
}

TEST(Simulate, ALongCriticalPathIsAbbreviated) {
  const auto result = frostline("simulate scenarios/zero_bubble_1_5b.toml --critical-path");
  EXPECT_THAT(result.out, HasSubstr("more computations, on "));
  EXPECT_THAT(result.out, HasSubstr("Slack: "));
  EXPECT_LT(std::count(result.out.begin(), result.out.end(), '\n'), 70);
}

TEST(Simulate, TheTimelineIsDrawnWhenAskedFor) {
  const std::string line = "simulate scenarios/frozen_prefix.toml";
  EXPECT_THAT(frostline(line).out, Not(HasSubstr("rank 0 ")));
  EXPECT_THAT(frostline(line + " --timeline").out, HasSubstr("\nrank 0 f"));
  EXPECT_THAT(frostline(line + " --timeline").out, Not(HasSubstr("\033[")));
  EXPECT_THAT(frostline(line + " --timeline --color always").out,
              HasSubstr("\nrank 0 \033[2;34mf"));
}

TEST(Compare, ADamagedSummaryIsAClearError) {
  const base::TemporaryFolder folder;
  base::write_file_atomically(folder / "scenario.toml", "name = 'x'\n");
  base::write_file_atomically(folder / "summary.json", "{}");
  const auto result = frostline("compare " + folder.path().string());
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_THAT(result.err, HasSubstr("a summary.json is not what a run leaves"));
}

TEST(Compare, AFolderThatIsNoRunIsAnError) {
  const base::TemporaryFolder folder;
  const auto result = frostline("compare " + folder.path().string());
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_THAT(result.err, HasSubstr("has no scenario.toml"));
}

TEST(Compare, ARunThatHasNotEndedSaysHowToGoOn) {
  const base::TemporaryFolder folder;
  base::write_file_atomically(folder / "scenario.toml", "name = 'x'\n");
  const auto result = frostline("compare " + folder.path().string());
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_THAT(result.err, HasSubstr("frostline train --resume"));
}

}  // namespace
}  // namespace frostline::app
