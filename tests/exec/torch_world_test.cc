#include "exec/torch_world.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/cat.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "tests/exec/chain_task.h"
#include "tests/exec/pipeline_run.h"
#include "tests/exec/world_run.h"

namespace frostline::exec {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr int kLayers = 6;

struct Chain {
  explicit Chain(ChainTask::Options options = {.layers = kLayers}) : task(std::move(options)) {}

  std::unique_ptr<TorchWorld> world(int ranks, const policy::TrainSettings& settings) const {
    return std::make_unique<TorchWorld>(task, units, settings, ranks, kSeed);
  }
  pipeline::Plan plan(int ranks, const std::vector<int>& frozen, int micro_batches = 4) const {
    return plan_of(units, {ranks, 1, micro_batches}, frozen);
  }

  ChainTask task;
  pipeline::UnitTable units = models::unit_table(task.model(), models::UnitKind::kLayer);
};

class TorchWorldWith : public testing::TestWithParam<std::string> {};
INSTANTIATE_TEST_SUITE_P(Optimizer, TorchWorldWith, testing::Values("sgd", "adam", "adamw"),
                         [](const auto& one) { return one.param; });

TEST_P(TorchWorldWith, FrozenTensorsAreBitwiseUnchangedAndExactlyTheOthersMove) {
  const Chain chain;
  for (const int ranks : {1, 2, 3}) {
    const auto world = chain.world(ranks, small_settings(GetParam()));
    world->transition(chain.plan(ranks, {}));
    world->run_steps(chain.plan(ranks, {}), order_of(2));  // momentum and step counts exist now
    const auto before = weights_of(*world);
    const auto frozen = chain.plan(ranks, {0, 1, 4});
    world->transition(frozen);
    world->run_steps(frozen, order_of(3));
    for (const auto& [name, bytes] : weights_of(*world)) {
      const char layer = name[6];  // "dense.4.weight"
      const bool is_frozen = layer == '0' || layer == '1' || layer == '4';
      EXPECT_EQ(bytes == before.at(name), is_frozen) << name << " on " << ranks << " ranks";
    }
  }
}

/// A thaw goes on with the state that was kept: a run that freezes for no step equals one that
/// never did, and one that freezes does not.
TEST_P(TorchWorldWith, ThawingGoesOnWithTheStateThatWasKept) {
  const Chain chain;
  const auto open = chain.plan(2, {});
  const auto run = [&](int steps_frozen) {
    const auto world = chain.world(2, small_settings(GetParam()));
    world->transition(open);
    world->run_steps(open, order_of(2));
    world->transition(chain.plan(2, {0, 1}));
    world->run_steps(chain.plan(2, {0, 1}), order_of(steps_frozen));
    world->transition(open);
    world->run_steps(open, order_of(2));
    return weights_of(*world);
  };
  const auto world = chain.world(2, small_settings(GetParam()));
  world->transition(open);
  world->run_steps(open, order_of(4));
  const auto never = weights_of(*world);
  EXPECT_EQ(run(0), never);
  EXPECT_NE(run(1), never);
}

TEST_P(TorchWorldWith, RanksDoNotChangeTheBits) {
  const Chain chain;
  const auto run = [&](int ranks) {
    const auto world = chain.world(ranks, small_settings(GetParam()));
    const auto plan = chain.plan(ranks, {0, 3});
    world->transition(plan);
    const auto report = world->run_steps(plan, order_of(5));
    return std::tuple(weights_of(*world), *report.steps.back().loss,
                      *report.steps.back().gradient_norm);
  };
  EXPECT_EQ(run(2), run(1));
  EXPECT_EQ(run(3), run(1));
  EXPECT_EQ(run(6), run(1));
  EXPECT_EQ(run(6), run(6));
}

TEST(TorchWorld, LearnsAndReportsEveryStep) {
  const Chain chain({.layers = kLayers, .dropout = 0});
  const auto world = chain.world(2, small_settings());
  const auto plan = chain.plan(2, {});
  EXPECT_GT(world->transition(plan).count(), 0);
  std::vector<std::int64_t> told;
  auto order = order_of(30);
  order.after_step = [&](const pipeline::StepRecord& step) {
    told.push_back(step.number);
    return true;
  };
  const double before = *world->validate(pipeline::Split::kValidation).score;
  const auto report = world->run_steps(plan, order);
  ASSERT_EQ(report.steps.size(), 30u);
  EXPECT_EQ(told.size(), 30u);
  EXPECT_EQ(report.steps.front().number, 1);
  EXPECT_EQ(report.steps.back().number, 30);
  EXPECT_GT(*world->validate(pipeline::Split::kValidation).score, before);
  EXPECT_DOUBLE_EQ(report.steps[3].budget_share, 0.003);
  EXPECT_GT(report.steps[3].wall.count(), 0);
  EXPECT_EQ(report.steps[3].time, report.steps[3].wall);
}

TEST(TorchWorld, TakesTheLearningRateAtTheShareOfTheBudget) {
  const Chain chain;
  const auto world = chain.world(1, small_settings());
  const auto plan = chain.plan(1, {});
  world->transition(plan);
  auto order = order_of(4);
  order.learning_rate = {1.0, pipeline::LearningRateRule::Shape::kLinear};
  order.budget = {pipeline::Budget::Kind::kTime, 0, std::chrono::milliseconds(40)};
  order.step_time = std::chrono::milliseconds(10);
  const auto report = world->run_steps(plan, order);
  std::vector<double> rates;
  for (const auto& step : report.steps) rates.push_back(step.learning_rate);
  EXPECT_THAT(rates, ElementsAre(1.0, 0.75, 0.5, 0.25));
}

TEST(TorchWorld, StopsWhenTheBudgetIsUsedUpOrTheCallerSaysSo) {
  const Chain chain;
  const auto world = chain.world(1, small_settings());
  const auto plan = chain.plan(1, {});
  world->transition(plan);
  auto order = order_of(10);
  order.budget.steps = 3;
  order.statistics.units = {{0}};
  const auto cut = world->run_steps(plan, order);
  EXPECT_EQ(cut.steps.size(), 3u);
  EXPECT_THAT(cut.statistics, IsEmpty());
  order = order_of(10);
  order.after_step = [](const pipeline::StepRecord& step) { return step.number < 5; };
  EXPECT_EQ(world->run_steps(plan, order).steps.size(), 2u);
}

TEST(TorchWorld, ClipsByTheNormOverAllStages) {
  const Chain chain({.layers = kLayers, .dropout = 0});
  auto settings = small_settings("sgd");
  settings.momentum = 0;
  settings.weight_decay = 0;
  settings.clip_norm = 1e-3;
  const auto plan = chain.plan(3, {1, 4, 5});  // the last stage has nothing to train
  const auto expected = reference_step(chain.task, chain.units, plan.freeze, 0, 4);
  double squares = 0;
  for (const auto& [name, gradient] : expected.gradients) {
    if (gradient.defined()) squares += std::pow(gradient.norm().item<double>(), 2);
  }
  const auto world = chain.world(3, settings);
  world->transition(plan);
  const auto before = weights_of(*world);
  auto order = order_of(1);
  order.learning_rate.peak = 1.0;
  const auto report = world->run_steps(plan, order);
  EXPECT_NEAR(*report.steps[0].gradient_norm, std::sqrt(squares), 1e-5 * std::sqrt(squares));
  double moved = 0;  // with a learning rate of 1 the weights move by the clipped gradient
  for (const auto& [name, bytes] : weights_of(*world)) {
    const auto* now = reinterpret_cast<const float*>(bytes.data());
    const auto* then = reinterpret_cast<const float*>(before.at(name).data());
    for (std::size_t i = 0; i < bytes.size() / 4; ++i) moved += std::pow(now[i] - then[i], 2);
  }
  EXPECT_NEAR(std::sqrt(moved), 1e-3, 1e-6);
}

TEST(TorchWorld, ReportsTheStatisticsOfWhatItWasToldToObserve) {
  const Chain chain({.layers = kLayers, .dropout = 0});
  auto settings = small_settings("sgd");
  const auto plan = chain.plan(2, {});
  auto order = order_of(3);
  order.learning_rate.peak = 0;  // the weights stand still, so the reference knows every step
  order.statistics.units = {{1}, {4}};
  const auto world = chain.world(2, settings);
  world->transition(plan);
  const auto report = world->run_steps(plan, order);
  ASSERT_EQ(report.statistics.size(), 2u);
  for (const auto& unit : report.statistics) {
    const std::string weight = chain.units.units[unit.unit.index()].tensors[0];
    const std::string bias = chain.units.units[unit.unit.index()].tensors[1];
    double sum = 0;
    for (int step = 0; step < 3; ++step) {
      const auto expected = reference_step(chain.task, chain.units, plan.freeze, step, 4);
      const auto& w = expected.gradients.at(weight);
      const auto& b = expected.gradients.at(bias);
      sum += (w.abs().sum() + b.abs().sum()).item<double>() /
             static_cast<double>(w.numel() + b.numel());
    }
    EXPECT_NEAR(unit.mean_gradient, sum / 3, 1e-5 * sum);
  }
}

TEST(TorchWorld, MeasuresDriftByTheSumOfTheGradients) {
  const Chain chain({.layers = kLayers, .dropout = 0});
  const auto plan = chain.plan(2, {});
  auto order = order_of(3);
  order.learning_rate.peak = 0;
  order.statistics = {{{2}}, pipeline::Change::kDrift, 1.0};
  const auto world = chain.world(2, small_settings("sgd"));
  world->transition(plan);
  const auto report = world->run_steps(plan, order);
  at::Tensor sum;
  double squares = 0;
  for (int step = 0; step < 3; ++step) {
    const auto gradients = reference_step(chain.task, chain.units, plan.freeze, step, 4).gradients;
    const at::Tensor all =
        at::cat({gradients.at("dense.2.weight").flatten(), gradients.at("dense.2.bias")});
    squares += std::pow(all.norm().item<double>(), 2);
    sum = sum.defined() ? sum + all : all;
  }
  ASSERT_EQ(report.statistics.size(), 1u);
  EXPECT_NEAR(report.statistics[0].change, sum.norm().item<double>() / std::sqrt(squares), 1e-5);
}

TEST(TorchWorld, AStageWithNothingToTrainHasNoOptimizerState) {
  const Chain chain;
  const auto world = chain.world(2, small_settings());
  const auto plan = chain.plan(2, {0, 1, 2});
  world->transition(plan);
  const auto memory = world->run_steps(plan, order_of(1)).memory;
  std::int64_t weights = 0;
  for (const int layer : {0, 1, 2}) weights += 4 * chain.task.model().layers[layer].parameters();
  EXPECT_EQ(memory[0].count, weights);
  EXPECT_GT(memory[1].count, weights);
}

TEST(TorchWorld, ValidatesAlikeOnAnyNumberOfRanksAndChangesNothing) {
  const Chain chain({.layers = kLayers, .normalised = 2});
  std::vector<double> scores;
  for (const int ranks : {1, 2, 3}) {
    const auto world = chain.world(ranks, small_settings());
    const auto plan = chain.plan(ranks, {0});
    world->transition(plan);
    world->run_steps(plan, order_of(2));
    const auto before = weights_of(*world);
    chain.task.take_sightings();
    scores.push_back(*world->validate(pipeline::Split::kTest).score);
    for (const Sighting& seen : chain.task.take_sightings()) {
      EXPECT_FALSE(seen.where.training || seen.output_requires_grad);
    }
    EXPECT_EQ(weights_of(*world), before);
  }
  EXPECT_EQ(scores[1], scores[0]);
  EXPECT_EQ(scores[2], scores[0]);
}

TEST(TorchWorld, AValidationBetweenStepsDoesNotChangeTheRun) {
  const Chain chain({.layers = kLayers, .normalised = 2});
  const auto plan = chain.plan(2, {0});
  const auto run = [&](bool validate) {
    const auto world = chain.world(2, small_settings());
    world->transition(plan);
    world->run_steps(plan, order_of(2));
    if (validate) world->validate(pipeline::Split::kValidation);
    world->run_steps(plan, order_of(2));
    return weights_of(*world);
  };
  EXPECT_EQ(run(true), run(false));
}

TEST(TorchWorld, RunsWithEverythingFrozen) {
  const Chain chain;
  const auto world = chain.world(2, small_settings());
  const auto plan = chain.plan(2, {0, 1, 2, 3, 4, 5});
  world->transition(plan);
  const auto before = weights_of(*world);
  const auto report = world->run_steps(plan, order_of(2));
  EXPECT_TRUE(report.steps.back().loss.has_value());
  EXPECT_EQ(report.steps.back().gradient_norm, 0.0);
  EXPECT_EQ(weights_of(*world), before);
}

TEST(TorchWorld, MasksThatDifferStepAUnitWithTheSumOverTheOthers) {
  const Chain chain({.layers = kLayers, .dropout = 0});
  auto settings = small_settings("sgd");
  settings.clip_norm = 0;
  std::vector<pipeline::FreezeMask> masks(4, mask_of(chain.units, {0}));
  masks[2] = mask_of(chain.units, {0, 1, 2});
  const auto plan = plan_with(chain.units, {2, 1, 4}, pipeline::FreezePlan(masks));
  const auto world = chain.world(2, settings);
  world->transition(plan);
  const auto before = weights_of(*world);
  world->run_steps(plan, order_of(1));
  for (const auto& [name, bytes] : weights_of(*world)) {
    EXPECT_EQ(bytes == before.at(name), name.starts_with("dense.0.")) << name;
  }
}

}  // namespace
}  // namespace frostline::exec
