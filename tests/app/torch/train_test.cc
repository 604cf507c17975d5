#include <fmt/core.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <sstream>

#include "base/file.h"
#include "tests/app/command_runner.h"
#include "tests/base/temporary_folder.h"

namespace frostline::app {
namespace {

using nlohmann::json;
using testing::HasSubstr;

/// A forecaster that trains in a blink, on the shipped data.
constexpr const char* kTiny = R"(name = "tiny"
[pipeline]
ranks = 2
micro_batches = 2
[model]
kind = "forecaster"
blocks = 2
width = 8
heads = 2
patch = 24
[data]
file = "{}"
series = ["3"]
[train]
steps = 60
batch = 8
validate_every = 20
checkpoint_every = 10
[freeze]
judging_step = 10
)";

/// Bytes that a file may grow to where a full disk is played: room for a checkpoint, not for the
/// whole log.
constexpr std::size_t kFileLimit = 150 * 1024;

class Train : public testing::Test {
 protected:
  Train() {
    const auto data = project_root() / "scenarios/data/rts_gmlc/DAY_AHEAD_regional_Load.csv";
    base::write_file_atomically(folder_ / "tiny.toml",
                                fmt::format(fmt::runtime(kTiny), data.string()));
  }
  CommandResult run(const std::string& arguments) { return frostline(arguments, folder_.path()); }
  std::string file(const std::string& name) { return base::read_file(folder_ / name); }
  std::vector<json> log(const std::string& run) {
    std::istringstream lines(file(run + "/log.jsonl"));
    std::vector<json> events;
    for (std::string line; std::getline(lines, line);) events.push_back(json::parse(line));
    return events;
  }
  base::TemporaryFolder folder_;
};

std::vector<json> of_kind(const std::vector<json>& events, const std::string& kind) {
  std::vector<json> found;
  std::copy_if(events.begin(), events.end(), std::back_inserter(found),
               [&](const json& event) { return event.at("event") == kind; });
  return found;
}

/// Shell words behind a command: sends it a signal as soon as the condition holds, in 20 s at most.
std::string signal_when(const std::string& signal, const std::string& condition) {
  return " & pid=$!; for i in $(seq 2000); do " + condition +
         " && break; sleep 0.01; done; kill -" + signal + " $pid; wait $pid";
}

/// What must be equal of two runs' logs: all but what the wall clock gives.
std::vector<json> timeless(std::vector<json> events) {
  std::erase_if(events, [](const json& event) { return event.at("event") == "checkpoint"; });
  for (auto& event : events)
    for (const auto* key : {"time_ms", "wall_ms", "cost_ms", "transition_ms"}) event.erase(key);
  return events;
}

TEST_F(Train, LeavesAWholeRunFolder) {
  const auto result = run("train tiny.toml --out run --json");
  ASSERT_EQ(result.exit_code, 0) << result.err;
  const auto summary = result.json();
  EXPECT_EQ(summary.at("steps"), 60);
  EXPECT_EQ(summary.at("baselines").size(), 3u);
  EXPECT_EQ(summary.at("measure").at("name"), "MAPE");
  EXPECT_EQ(json::parse(file("run/summary.json")), summary);
  const auto steps = of_kind(log("run"), "step");
  ASSERT_EQ(steps.size(), 60u);
  EXPECT_LT(steps.back().at("loss"), steps.front().at("loss"));
  for (const auto* name :
       {"run/scenario.toml", "run/checkpoint.safetensors", "run/weights.safetensors"})
    EXPECT_FALSE(file(name).empty()) << name;
}

TEST_F(Train, AScenarioThatWasWrittenReadsBackEqual) {
  ASSERT_EQ(run("train tiny.toml --out a").exit_code, 0);
  ASSERT_EQ(run("train a/scenario.toml --out b").exit_code, 0);
  EXPECT_EQ(file("a/scenario.toml"), file("b/scenario.toml"));
  EXPECT_EQ(file("a/weights.safetensors"), file("b/weights.safetensors"));
}

TEST_F(Train, FreezesByTheRuleAndSaysSo) {
  const auto result =
      run("train tiny.toml --out run --json --set freeze.policy=fixed --set freeze.theta1=1e9 "
          "--set freeze.theta2=0 --set freeze.theta3=1e9 --set freeze.window=1");
  ASSERT_EQ(result.exit_code, 0) << result.err;
  EXPECT_THAT(result.err, HasSubstr("froze embedding"));
  EXPECT_THAT(result.err, HasSubstr("froze blocks.0"));
  EXPECT_EQ(result.json().at("frost_line"), 3);
  EXPECT_LT(result.json().at("frozen_share"), 1.0);
}

TEST_F(Train, InterruptedAndResumedEqualsUninterrupted) {
  const std::string freezing =
      " --set freeze.policy=fixed --set freeze.theta1=0.5 --set freeze.theta2=0.2 "
      "--set freeze.theta3=2 --set train.steps=400 --set train.checkpoint_every=150";
  ASSERT_EQ(run("train tiny.toml --out whole" + freezing).exit_code, 0);
  const auto cut = run("train tiny.toml --out cut" + freezing +
                       signal_when("INT", "grep -qs '\"step\":25,' cut/log.jsonl"));
  ASSERT_EQ(cut.exit_code, 1) << cut.err;
  EXPECT_LT(of_kind(log("cut"), "step").size(), 400u) << "the run ended before it was interrupted";
  const auto resumed = run("train --resume cut");
  ASSERT_EQ(resumed.exit_code, 0) << resumed.err;
  EXPECT_EQ(file("cut/weights.safetensors"), file("whole/weights.safetensors"));
  EXPECT_EQ(timeless(of_kind(log("cut"), "step")), timeless(of_kind(log("whole"), "step")));
  EXPECT_EQ(timeless(of_kind(log("cut"), "decision")), timeless(of_kind(log("whole"), "decision")));
}

TEST_F(Train, AKilledRunGoesOnFromItsLastCheckpoint) {
  ASSERT_EQ(run("train tiny.toml --out whole --set train.steps=400").exit_code, 0);
  run("train tiny.toml --out cut --set train.steps=400" +
      signal_when("KILL", "[ -e cut/checkpoint.safetensors ]"));
  ASSERT_LT(of_kind(log("cut"), "step").size(), 400u);
  ASSERT_EQ(run("train --resume cut").exit_code, 0);
  EXPECT_EQ(file("cut/weights.safetensors"), file("whole/weights.safetensors"));
  EXPECT_EQ(of_kind(log("cut"), "step").size(), 400u);
}

TEST_F(Train, ThePredictedClockIsReproducible) {
  const std::string line =
      "train tiny.toml --set train.budget=time --set train.time_s=0.5 --set "
      "train.clock=predicted --set cost.source=table --set cost.forward_ms=1 --set "
      "cost.input_gradient_ms=1 --set cost.weight_gradient_ms=1 --out ";
  ASSERT_EQ(run(line + "a").exit_code, 0);
  ASSERT_EQ(run(line + "b").exit_code, 0);
  EXPECT_EQ(file("a/weights.safetensors"), file("b/weights.safetensors"));
  // Two ranks, two micro-batches, 3 ms each: 9 ms a step by (m + p - 1)(F + I + W); 500 / 9 rounded
  // up.
  EXPECT_EQ(json::parse(file("a/summary.json")).at("steps"), 56);
}

TEST_F(Train, ABrokenDataFileIsNamedWithRowAndColumn) {
  base::write_file_atomically(folder_ / "load.csv", "hour,3\n1,5.0\n2,x\n");
  const auto result = run("train tiny.toml --out run --set data.file=load.csv");
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_THAT(result.err, HasSubstr("load.csv:3:3"));
  EXPECT_FALSE(std::filesystem::exists(folder_ / "run"));
}

TEST_F(Train, ACheckpointOfAnotherModelIsRefused) {
  ASSERT_EQ(run("train tiny.toml --out run").exit_code, 0);
  auto scenario = file("run/scenario.toml");
  scenario.replace(scenario.find("blocks = 2"), 10, "blocks = 3");
  base::write_file_atomically(folder_ / "run/scenario.toml", scenario);
  const auto result = run("train --resume run");
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_THAT(result.err, HasSubstr("checkpoint.safetensors"));
}

TEST_F(Train, AFullDiskLeavesTheLastCheckpointIntact) {
  const std::string line = "train tiny.toml --set train.steps=1000 --out ";
  ASSERT_EQ(run(line + "whole").exit_code, 0);
  ASSERT_GT(file("whole/log.jsonl").size(), kFileLimit);
  ASSERT_LT(file("whole/checkpoint.safetensors").size(), kFileLimit);
  const auto result = run(fmt::format("--version && trap '' XFSZ && ulimit -f {} && '{}' {} full",
                                      kFileLimit / 512, FROSTLINE_EXE, line));
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_THAT(result.err, HasSubstr("File too large"));
  ASSERT_EQ(run("train --resume full").exit_code, 0);
  EXPECT_EQ(file("full/weights.safetensors"), file("whole/weights.safetensors"));
}

TEST_F(Train, AFailedStartLeavesNothingBehind) {
  base::write_file_atomically(folder_ / "broken.safetensors", "no weights");
  const auto result = run("train tiny.toml --out run --set model.weights=broken.safetensors");
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_THAT(result.err, HasSubstr("broken.safetensors"));
  EXPECT_FALSE(std::filesystem::exists(folder_ / "run"));
}

TEST_F(Train, ALogThatEndsBeforeItsCheckpointIsRefused) {
  ASSERT_EQ(run("train tiny.toml --out run").exit_code, 0);
  const auto whole = file("run/log.jsonl");
  base::write_file_atomically(folder_ / "run/log.jsonl", whole.substr(0, whole.size() / 2));
  const auto result = run("train --resume run");
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_THAT(result.err, HasSubstr("the checkpoint is after step 60"));
}

TEST_F(Train, ResumeTakesNoOverrides) {
  const auto result = run("train --resume run --set train.steps=3");
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_THAT(result.err, HasSubstr("--resume takes the scenario from the run"));
}

TEST_F(Train, AProfileFeedsTheSimulator) {
  const auto profile = run("profile tiny.toml --out profile.json --repeats 3");
  ASSERT_EQ(profile.exit_code, 0) << profile.err;
  const auto simulated =
      run("simulate tiny.toml --json --set cost.source=profile --set cost.file=profile.json");
  ASSERT_EQ(simulated.exit_code, 0) << simulated.err;
  EXPECT_GT(simulated.json().at("step_time_ms").get<double>(), 0.0);
  for (const std::string other : {"model.width=16", "train.batch=16"}) {
    const auto refused = run(
        "simulate tiny.toml --set cost.source=profile --set cost.file=profile.json --set " + other);
    EXPECT_EQ(refused.exit_code, 1) << other;
    EXPECT_THAT(refused.err, HasSubstr("measure again with `frostline profile`"));
  }
}

}  // namespace
}  // namespace frostline::app
