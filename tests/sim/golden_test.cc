#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <ostream>

#include "base/file.h"
#include "sim/step_simulation.h"
#include "tests/cost/plans.h"

namespace frostline::sim {
namespace {

using pipeline::Cut;
using pipeline::FreezeMask;
using pipeline::FreezePlan;
using pipeline::Partition;
using pipeline::UnitTable;

/// Six layers with F = 2, I = 3, W = 4 and a delay of 1 on three stages, four micro-batches.
struct Scene {
  const char* file;
  const char* schedule;
  FreezePlan freeze;
  Cut cut = Cut::kPrefix;
  std::vector<int> partition = {2, 2, 2};

  friend std::ostream& operator<<(std::ostream& out, const Scene& scene) {
    return out << scene.file;
  }
};

FreezePlan frozen(const char* mask) { return FreezePlan(FreezeMask::from_text(mask)); }

std::string played(const Scene& scene) {
  cost::ModelCost cost = cost::equal_layers(6, cost::layer_cost(2, 3, 4));
  cost.send_ns = 1;
  const UnitTable units = UnitTable::of_layers(6);
  const auto plan = cost::make_plan(scene.schedule, {3, 1, 4}, Partition(scene.partition),
                                    scene.freeze, scene.cut);
  StepConditions conditions;
  conditions.records_spans = true;
  const SimulatedStep step =
      simulate_step(executable_schedule(plan, units), cost::PlanTimes(cost, units, plan),
                    conditions);
  return step.timeline.text(base::Duration(1));
}

class GoldenTimeline : public ::testing::TestWithParam<Scene> {};

/// FROSTLINE_ACCEPT=1 writes what is played now; read the difference before it is committed.
TEST_P(GoldenTimeline, IsPlayedAsRecorded) {
  const auto file = std::filesystem::path(FROSTLINE_TEST_DATA) / "golden" /
                    (std::string(GetParam().file) + ".txt");
  const std::string text = played(GetParam());
  const char* accept = std::getenv("FROSTLINE_ACCEPT");
  if (accept != nullptr && std::string(accept) == "1") base::write_file_atomically(file, text);
  EXPECT_EQ(text, base::read_file(file)) << file;
}

const FreezePlan kAlternating({FreezeMask::from_text("110000"), FreezeMask::from_text("000000"),
                               FreezeMask::from_text("110000"), FreezeMask::from_text("001100")});

INSTANTIATE_TEST_SUITE_P(
    Schedules, GoldenTimeline,
    ::testing::Values(
        Scene{"gpipe", "gpipe", frozen("000000")}, Scene{"gpipe_prefix", "gpipe", frozen("110000")},
        Scene{"gpipe_line_inside", "gpipe", frozen("111000")},
        Scene{"one_f_one_b", "1f1b", frozen("000000")},
        Scene{"one_f_one_b_prefix", "1f1b", frozen("110000")},
        Scene{"one_f_one_b_line_inside", "1f1b", frozen("111000")},
        Scene{"one_f_one_b_middle", "1f1b", frozen("001100")},
        Scene{"one_f_one_b_all", "1f1b", frozen("111111")},
        Scene{"one_f_one_b_all_first_stage", "1f1b", frozen("111111"), Cut::kFirstStage},
        Scene{"one_f_one_b_repartitioned", "1f1b", frozen("110000"), Cut::kPrefix, {3, 2, 1}},
        Scene{"one_f_one_b_by_micro_batch", "1f1b", kAlternating}),
    [](const auto& scene) { return std::string(scene.param.file); });

}  // namespace
}  // namespace frostline::sim
