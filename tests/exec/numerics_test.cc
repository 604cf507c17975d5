// A pipelined step against the model without a pipeline: loss, outputs and every gradient.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/exec/chain_task.h"
#include "tests/exec/pipeline_run.h"

namespace frostline::exec {
namespace {

constexpr double kTolerance = 1e-5;

struct Case {
  std::string schedule;
  int ranks;
  int micro_batches;
  std::string name;
  std::vector<int> frozen;
};

void PrintTo(const Case& c, std::ostream* out) {
  *out << c.schedule << ", " << c.ranks << " ranks, " << c.micro_batches << " micro-batches, "
       << c.name;
}

/// Eight layers; on four ranks two each, on two ranks four.
std::vector<Case> cases() {
  const std::vector<std::pair<std::string, std::vector<int>>> frozen = {
      {"nothing frozen", {}},
      {"some frozen", {1, 4}},
      {"a prefix frozen", {0, 1, 2}},
      {"the first rank frozen", {0, 1, 2, 3}},
      {"a middle rank frozen", {2, 3}},
      {"the last rank frozen", {4, 5, 6, 7}},
      {"all but the head frozen", {0, 1, 2, 3, 4, 5, 6}}};
  std::vector<Case> all;
  for (const std::string schedule : {"gpipe", "1f1b"}) {
    for (const int ranks : {1, 2, 4}) {
      for (const int micro_batches : {1, 2, 3, 2 * ranks}) {
        for (const auto& [name, units] : frozen) {
          all.push_back({schedule, ranks, micro_batches, name, units});
        }
      }
    }
  }
  return all;
}

void expect_equal(const NamedTensors& found, const NamedTensors& expected) {
  ASSERT_EQ(found.size(), expected.size());
  for (const auto& [name, tensor] : expected) {
    EXPECT_LE(difference(found.at(name), tensor), kTolerance) << name;
  }
}

void expect_equals_reference(const ChainTask& task, const pipeline::UnitTable& units,
                             const pipeline::Plan& plan) {
  const int micro_batches = plan.schedule->shape.micro_batches;
  const StepOutcome expected = reference_step(task, units, plan.freeze, 3, micro_batches);
  task.take_outputs();
  BuiltTeam built(task, units, plan);
  built.accumulate(3);
  const auto last = built.schedule.rank_of(built.schedule.last_stage());
  EXPECT_NEAR(*built.team.worker(last).stage().loss(), expected.loss, kTolerance * expected.loss);
  const auto outputs = task.take_outputs();
  ASSERT_EQ(outputs.size(), expected.outputs.size());
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    EXPECT_LE(difference(outputs[i], expected.outputs[i]), kTolerance);
  }
  expect_equal(built.gradients(), expected.gradients);
  expect_equal(built.buffers(), expected.buffers);
}

class Numerics : public testing::TestWithParam<Case> {};

TEST_P(Numerics, EqualTheUnpipelinedModel) {
  const Case& c = GetParam();
  const ChainTask task({.layers = 8, .normalised = 1, .batch = 48});
  const auto units = models::unit_table(task.model(), models::UnitKind::kLayer);
  expect_equals_reference(task, units,
                          plan_of(units, {c.ranks, 1, c.micro_batches}, c.frozen, c.schedule));
}

INSTANTIATE_TEST_SUITE_P(All, Numerics, testing::ValuesIn(cases()));

TEST(NumericsOfTensorUnits, EqualTheUnpipelinedModel) {
  const ChainTask task({.layers = 6, .normalised = 3});
  const auto units = models::unit_table(task.model(), models::UnitKind::kTensor);
  // The first layer's bias trains, so the line is at 0; of the normalised layer only the scale
  // does.
  const std::vector<int> frozen = {0, 2, 3, 6, 7};
  for (const int ranks : {1, 2, 3}) {
    expect_equals_reference(task, units, plan_of(units, {ranks, 1, 4}, frozen));
  }
}

TEST(NumericsOfMasksThatDiffer, EqualTheUnpipelinedModel) {
  const ChainTask task({.layers = 6, .normalised = 3});
  const auto units = models::unit_table(task.model(), models::UnitKind::kLayer);
  const std::vector<std::vector<int>> frozen = {{}, {0, 1, 2}, {3}, {0, 1, 2, 3, 4, 5}};
  std::vector<pipeline::FreezeMask> masks;
  for (const auto& units_frozen : frozen) masks.push_back(mask_of(units, units_frozen));
  for (const int ranks : {1, 2, 3}) {
    for (const std::string schedule : {"gpipe", "1f1b"}) {
      expect_equals_reference(
          task, units, plan_with(units, {ranks, 1, 4}, pipeline::FreezePlan(masks), schedule));
    }
  }
}

TEST(NumericsOfEverythingFrozen, HasALossAndNoGradient) {
  const ChainTask task({.layers = 4});
  const auto units = models::unit_table(task.model(), models::UnitKind::kLayer);
  for (const int ranks : {1, 2}) {
    expect_equals_reference(task, units, plan_of(units, {ranks, 1, 2}, {0, 1, 2, 3}));
  }
}

/// Two stages a rank: forwards in the order of micro-batch and stage, backwards the other way
/// round.
pipeline::Plan two_chunk_plan(const pipeline::UnitTable& units, const std::vector<int>& frozen,
                              const std::vector<pipeline::Rank>& rank_of_stage) {
  auto plan = plan_of(units, {2, 1, 3}, frozen);
  plan.partition = pipeline::Partition::even(units.layers(), 4);
  pipeline::Schedule schedule{"two chunks", {2, 2, 3}, rank_of_stage, {{}, {}}};
  const auto add = [&](pipeline::ActionKind kind, int stage, int micro_batch) {
    const auto rank = rank_of_stage[static_cast<std::size_t>(stage)];
    schedule.actions[rank.index()].emplace_back(kind, pipeline::StageId{stage},
                                                pipeline::MicroBatch{micro_batch});
  };
  for (int micro_batch = 0; micro_batch < 3; ++micro_batch) {
    for (int stage = 0; stage < 4; ++stage) add(pipeline::ActionKind::kForward, stage, micro_batch);
  }
  for (int micro_batch = 0; micro_batch < 3; ++micro_batch) {
    for (int stage = 3; stage >= 0; --stage)
      add(pipeline::ActionKind::kBackward, stage, micro_batch);
  }
  plan.schedule = schedule;
  return plan;
}

/// Looped, rank 1 owns the last stage; folded, rank 0 does, and two stages hand over on their rank.
TEST(NumericsOfTwoChunksARank, EqualTheUnpipelinedModel) {
  const ChainTask task({.layers = 8, .normalised = 5});
  const auto units = models::unit_table(task.model(), models::UnitKind::kLayer);
  for (const std::vector<int>& frozen : {std::vector<int>{}, {0, 1, 2}, {2, 3}, {0, 1, 2, 3, 4}}) {
    for (const auto& ranks :
         std::vector<std::vector<pipeline::Rank>>{{{0}, {1}, {0}, {1}}, {{0}, {1}, {1}, {0}}}) {
      expect_equals_reference(task, units, two_chunk_plan(units, frozen, ranks));
    }
  }
}

/// Bit for bit: the micro-batches are summed in one order whatever the ranks.
TEST(Gradients, AreTheSameBitsForAnyNumberOfRanks) {
  const ChainTask task({.layers = 8});
  const auto units = models::unit_table(task.model(), models::UnitKind::kLayer);
  BuiltTeam one(task, units, plan_of(units, {1, 1, 4}, {1, 2}));
  one.accumulate(0);
  for (const int ranks : {2, 4}) {
    BuiltTeam several(task, units, plan_of(units, {ranks, 1, 4}, {1, 2}));
    several.accumulate(0);
    for (const auto& [name, gradient] : one.gradients()) {
      EXPECT_TRUE(same_bits(several.gradients().at(name), gradient)) << name;
    }
  }
}

}  // namespace
}  // namespace frostline::exec
