#include "app/sweep.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "app/sweep_text.h"
#include "tests/app/command_runner.h"

namespace frostline::app {
namespace {

using nlohmann::json;
using testing::HasSubstr;

const std::string kScenario = " scenarios/zero_bubble_1_5b.toml";

json summary(double total_s, int steps, int micro_batches) {
  return {{"total_time_s", total_s},
          {"steps", steps},
          {"micro_batches", micro_batches},
          {"samples", nullptr},
          {"step_time_ms", 1e3 * total_s / steps},
          {"bubble_rate", 0.25},
          {"peak_activation_bytes", {1 << 20, 2 << 20}},
          {"frozen_share", 0.5}};
}

// 4 steps of 2 or 1 micro-batches in 8 s: 1000 or 2000 ms each; 1 step of 3 in 3 s: 1000 ms.
TEST(SweepText, TheFastestAreMarkedAndOthersSayWhyTheyDidNotRun) {
  const Sweep sweep{{{"a.x", {"1", "10"}}, {"b", {"u", "v"}}},
                    {{{"1", "u"}, summary(8, 4, 2), ""},
                     {{"1", "v"}, summary(8, 4, 1), ""},
                     {{"10", "u"}, nullptr, "too large; use 1"},
                     {{"10", "v"}, summary(3, 1, 3), ""}},
                    false};
  EXPECT_EQ(sweep_text(sweep),
            "a.x  b  ms a step  ms a micro-batch  bubble rate  largest peak  frozen\n"
            "1    u   2000.000          1000.000       0.2500      2.00 MiB  50.0 %  *\n"
            "1    v   2000.000          2000.000       0.2500      2.00 MiB  50.0 %\n"
            "10   u  too large; use 1\n"
            "10   v   3000.000          1000.000       0.2500      2.00 MiB  50.0 %  *\n"
            "* least ms a micro-batch\n");
}

TEST(SweepText, NothingIsMarkedWhereAllAreEqual) {
  const Sweep sweep{
      {{"a", {"1", "2"}}}, {{{"1"}, summary(8, 4, 2), ""}, {{"2"}, summary(4, 2, 2), ""}}, false};
  EXPECT_EQ(sweep_text(sweep).find('*'), std::string::npos);
}

TEST(SweepText, RunsOfModelsAreComparedByTheSample) {
  auto first = summary(8, 4, 2);
  auto second = summary(8, 4, 4);
  first["samples"] = second["samples"] = 64;
  const Sweep sweep{{{"a", {"1", "2"}}}, {{{"1"}, first, ""}, {{"2"}, second, ""}}, false};
  EXPECT_THAT(sweep_text(sweep), HasSubstr("ms a sample"));
  EXPECT_EQ(sweep_json(sweep).at("combinations")[0].at("ms_per_sample"), 31.25);
}

// A step of GPipe takes (m + p - 1)(F + I + W), and the sends over 7 hops there and back.
TEST(CompareVary, GivesWhatSimulateGives) {
  const auto sweep = frostline(
                         "compare --json --vary pipeline.schedule=gpipe,1f1b --vary "
                         "pipeline.micro_batches=8,16" +
                         kScenario)
                         .json();
  const auto& all = sweep.at("combinations");
  ASSERT_EQ(all.size(), 4u);
  EXPECT_EQ(all[1].at("values"),
            (json{{"pipeline.schedule", "gpipe"}, {"pipeline.micro_batches", 16}}));
  EXPECT_NEAR(all[0].at("summary").at("step_time_ms").get<double>(),
              15 * (18.522 + 18.086 + 9.337) + 14 * 0.601, 1e-9);
  const auto alone =
      frostline("simulate --json --set pipeline.micro_batches=16" + kScenario).json();
  for (const auto* key : {"step_time_ms", "bubble_rate", "peak_activations", "total_time_s"})
    EXPECT_EQ(all[3].at("summary").at(key), alone.at(key)) << key;
  EXPECT_TRUE(all[1].at("best").get<bool>());
  EXPECT_FALSE(all[3].at("best").get<bool>());
}

TEST(CompareVary, GivesTheSameBytesForAnyNumberOfJobs) {
  const auto line =
      "compare --vary pipeline.schedule=gpipe,1f1b --vary "
      "pipeline.ranks=2,3,5,8 --vary freeze.frozen_layers=0,2 --set "
      "freeze.policy=mask --json" +
      kScenario + " --jobs ";
  const auto one = frostline(line + "1");
  ASSERT_EQ(one.exit_code, 0) << one.err;
  EXPECT_EQ(one.err, "");  // no bar where there is no terminal
  for (const auto* jobs : {"2", "7", "64"}) EXPECT_EQ(frostline(line + jobs).out, one.out) << jobs;
}

TEST(CompareVary, ACombinationThatCannotRunDoesNotStopTheOthers) {
  const auto result =
      frostline("compare --vary pipeline.ranks=8,3 --vary \"cost.forward_ms=[1],[1,2,3]\" --json" +
                kScenario);
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_EQ(result.err, "frostline: 1 of 4 combinations did not run\n");
  const auto all = result.json().at("combinations");
  EXPECT_THAT(all[1].at("reason").get<std::string>(),
              HasSubstr("cost.forward_ms has 3 values with pipeline.ranks = 8"));
  for (const int other : {0, 2, 3})
    EXPECT_TRUE(all[static_cast<std::size_t>(other)].contains("summary"));
}

TEST(CompareVary, WrongKeysAndValuesAreAllSaidBeforeAnythingRuns) {
  const auto result = frostline(
      "compare --vary pipeline.shedule=gpipe,1f1b --vary pipeline.micro_batches=4,four,0 --vary "
      "freeze.policy=none,fixd" +
      kScenario);
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_EQ(result.out, "");
  EXPECT_THAT(result.err, HasSubstr("--vary: unknown key 'pipeline.shedule'; did you mean "
                                    "'pipeline.schedule'?"));
  EXPECT_THAT(result.err, HasSubstr("pipeline.micro_batches = \"four\" is a string"));
  EXPECT_THAT(result.err, HasSubstr("pipeline.micro_batches = 0 is not allowed"));
  EXPECT_THAT(result.err, HasSubstr("did you mean 'fixed'?"));
  EXPECT_EQ(std::count(result.err.begin(), result.err.end(), '\n'), 4);
}

TEST(CompareVary, AnInterruptionPrintsWhatIsDone) {
  const auto result = frostline("compare --jobs 1 --json --vary train.steps=10,1000000000,20" +
                                kScenario + " & pid=$!; sleep 0.5; kill -INT $pid; wait $pid");
  EXPECT_EQ(result.exit_code, 1);
  const auto sweep = result.json();
  EXPECT_TRUE(sweep.at("interrupted").get<bool>());
  EXPECT_EQ(sweep.at("combinations")[0].at("summary").at("steps"), 10);
  EXPECT_THAT(sweep.at("combinations")[1].at("reason").get<std::string>(),
              HasSubstr("interrupted after step"));
  EXPECT_EQ(sweep.at("combinations")[2].at("reason"), "interrupted before it ran");
}

}  // namespace
}  // namespace frostline::app
