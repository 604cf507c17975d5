#include "app/trace.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "app/setup.h"
#include "app/step_views.h"
#include "base/file.h"
#include "pipeline/schedules/registry.h"
#include "tests/app/command_runner.h"
#include "tests/base/temporary_folder.h"

namespace frostline::app {
namespace {

using nlohmann::json;
using std::int64_t;

/// A time as readers that cut off after the nanoseconds take it.
int64_t nanoseconds(const json& microseconds) {
  return static_cast<int64_t>(microseconds.get<double>() * 1e3);
}

Scenario three_ranks(const std::string& schedule, int frozen) {
  // Times that are no whole numbers of microseconds.
  return read_scenario(base::Document::from_text("[pipeline]\nranks = 3\nmicro_batches = 5\n"
                                                 "schedule = '" +
                                                     schedule +
                                                     "'\n[cost]\nsource = 'table'\n"
                                                     "forward_ms = [1.000001, 0.7, 0.333333]\n"
                                                     "input_gradient_ms = [1.1]\n"
                                                     "weight_gradient_ms = [0.900009]\n"
                                                     "send_ms = 0.0601\n"
                                                     "[freeze]\npolicy = 'mask'\nfrozen_layers = " +
                                                     std::to_string(frozen) + "\n",
                                                 "x.toml"),
                       Use::kSimulate);
}

/// A trace of one step, read back.
struct ReadTrace {
  json file;
  StepDetail detail;

  explicit ReadTrace(const Scenario& scenario)
      : detail(scenario, *scenario_cost(scenario), mask_of(scenario)) {
    const base::TemporaryFolder folder;
    TraceFile trace(folder / "t.json", "x", detail.step.timeline.ranks);
    trace.add(detail, 1, base::Duration(17));
    trace.finish();
    file = json::parse(base::read_file(folder / "t.json"));
  }

  static pipeline::FreezeMask mask_of(const Scenario& scenario) {
    return pipeline::freeze_leading_layers(scenario.units,
                                           static_cast<int>(scenario.freeze.frozen_layers));
  }
  std::vector<json> events(const std::string& phase) const {
    std::vector<json> found;
    for (const auto& event : file.at("traceEvents"))
      if (event.at("ph") == phase) found.push_back(event);
    return found;
  }
};

class Trace : public testing::TestWithParam<std::tuple<std::string, int>> {
 protected:
  const ReadTrace trace_{three_ranks(std::get<0>(GetParam()), std::get<1>(GetParam()))};
};

TEST_P(Trace, RanksAreBusyOneComputationAtATimeAsLongAsSimulated) {
  std::map<int, int64_t> end;
  std::map<int, int64_t> busy;
  for (const auto& event : trace_.events("X")) {
    const int thread = event.at("tid");
    if (thread == 3) continue;  // the steps
    const auto start = nanoseconds(event.at("ts"));
    const auto duration = nanoseconds(event.at("dur"));
    EXPECT_GE(start, std::max<int64_t>(end[thread], 17)) << event;
    end[thread] = start + duration;
    busy[thread] += duration;
  }
  for (const auto rank : base::ids<pipeline::Rank>(3))
    EXPECT_EQ(busy[rank.value], trace_.detail.step.timeline.busy(rank).count());
}

TEST_P(Trace, EveryTransferBeginsInAComputationAndEndsAtOne) {
  std::map<int64_t, json> starts;
  for (const auto& event : trace_.events("s"))
    EXPECT_TRUE(starts.emplace(event.at("id"), event).second) << event;
  const auto computations = trace_.events("X");
  const auto encloses = [&](const json& flow) {
    return std::any_of(computations.begin(), computations.end(), [&](const json& event) {
      const auto start = nanoseconds(event.at("ts"));
      const auto time = nanoseconds(flow.at("ts"));
      return event.at("tid") == flow.at("tid") && start <= time &&
             time < start + nanoseconds(event.at("dur"));
    });
  };
  std::size_t sends = 0;
  for (const auto& actions : trace_.detail.schedule.actions)
    sends += static_cast<std::size_t>(std::count_if(
        actions.begin(), actions.end(), [](const auto& a) { return is_send(a.first().kind); }));
  EXPECT_EQ(starts.size(), sends);
  EXPECT_EQ(trace_.events("f").size(), sends);
  for (const auto& finish : trace_.events("f")) {
    const auto& start = starts.at(finish.at("id"));
    EXPECT_EQ(start.at("name"), finish.at("name"));
    EXPECT_NE(start.at("tid"), finish.at("tid"));
    EXPECT_TRUE(encloses(start)) << start;
    EXPECT_TRUE(encloses(finish)) << finish;
    // From the end of the one to the start of the other: at least the transfer, less the
    // nanosecond.
    EXPECT_GE(nanoseconds(finish.at("ts")) - nanoseconds(start.at("ts")), 60'100);
  }
}

TEST_P(Trace, CountersStayAboveZeroAndPeakAsSimulated) {
  std::map<std::string, std::int64_t> last;
  std::map<std::string, std::int64_t> peak;
  for (const auto& event : trace_.events("C")) {
    const std::string name = event.at("name");
    if (name == "frozen share") {
      EXPECT_NEAR(event.at("args").at("percent").get<double>(), 100.0 * std::get<1>(GetParam()) / 3,
                  1e-9);
      continue;
    }
    last[name] = event.at("args").at("bytes");
    EXPECT_GE(last[name], 0) << event;
    peak[name] = std::max(peak[name], last[name]);
  }
  ASSERT_EQ(peak.size(), 3u);
  for (std::size_t rank = 0; rank < 3; ++rank) {
    const auto name = "activations of rank " + std::to_string(rank);
    EXPECT_EQ(last.at(name), 0);
    EXPECT_EQ(peak.at(name), trace_.detail.step.peak_activation[rank].count);
  }
}

TEST_P(Trace, FrozenWorkIsMarked) {
  std::set<int> frozen;
  for (const auto& event : trace_.events("X"))
    if (event.contains("args") && event["args"].at("frozen").get<bool>())
      frozen.insert(event.at("tid").get<int>());
  EXPECT_EQ(frozen.size(), static_cast<std::size_t>(std::get<1>(GetParam())));
}

INSTANTIATE_TEST_SUITE_P(All, Trace,
                         testing::Combine(testing::Values("gpipe", "1f1b"), testing::Values(0, 2)));

/// Spans of the thread "steps": name and start.
std::map<std::string, double> steps_of(const json& trace) {
  std::map<std::string, double> steps;
  for (const auto& event : trace.at("traceEvents"))
    if (event.value("cat", "") == "step") steps[event.at("name")] = event.at("ts");
  return steps;
}

// A recorded run that froze four of eight layers after step 20: its first and 21st step.
TEST(TraceOfARun, ShowsTheFirstStepWithEachPlan) {
  const base::TemporaryFolder folder;
  base::write_file_atomically(
      folder / "log.jsonl",
      R"({"event":"start","judging_step":20,"mask":"00000000","units":["layer.0","layer.1",)"
      R"("layer.2","layer.3","layer.4","layer.5","layer.6","layer.7"]})"
      "\n"
      R"({"event":"decision","step":20,"mask":"11110000"})"
      "\n");
  const auto result = frostline(
      "simulate scenarios/frozen_prefix.toml --json --set freeze.frozen_layers=0 --set "
      "freeze.policy=file --set freeze.file=" +
      folder.path().string() + " --trace " + (folder / "t.json").string());
  ASSERT_EQ(result.exit_code, 0) << result.err;
  const auto steps = steps_of(json::parse(base::read_file(folder / "t.json")));
  const double step_us = result.json().at("step_time_start_ms").get<double>() * 1e3;
  ASSERT_EQ(steps.size(), 2u);
  EXPECT_EQ(steps.at("step 1"), 0.0);
  EXPECT_NEAR(steps.at("step 21"), 20 * step_us, 1e-3);
}

TEST(TraceOfARun, AFileThatCannotBeWrittenIsAnError) {
  const auto result =
      frostline("simulate scenarios/frozen_prefix.toml --json --trace nowhere/t.json");
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_THAT(result.err, testing::HasSubstr("nowhere/t.json"));
}

}  // namespace
}  // namespace frostline::app
