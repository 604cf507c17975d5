#include "models/torch/forecaster.h"

#include <ATen/Parallel.h>
#include <ATen/ops/equal.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "tests/models/torch/small_model.h"

namespace frostline::models {
namespace {

const LoadWindows& loads() {
  static const LoadWindows loads = LoadWindows::load(regions());
  return loads;
}

/// `count` windows, `apart` of one another.
BatchTensors some_batch(int count, int apart = 1) {
  std::vector<Window> windows;
  for (int i = 0; i < count; ++i) {
    windows.push_back(loads().training()[static_cast<std::size_t>(i * apart)]);
  }
  return make_batch(loads(), windows, static_cast<int>(small_model().patch));
}

/// Gradients of all parameters after one backward, undefined where nothing learns.
std::vector<at::Tensor> gradients(const Layers& layers, const BatchTensors& batch) {
  forecast_loss(forward(layers, batch), batch).backward();
  std::vector<at::Tensor> all;
  for (const auto& layer : layers) {
    for (const auto& [name, tensor] : layer->parameters()) all.push_back(tensor.grad());
  }
  return all;
}

class TorchForecasterTest : public ::testing::Test {
 protected:
  TorchForecasterTest() { at::set_num_threads(1); }
};

TEST_F(TorchForecasterTest, StartsFromTheMeanOfYesterdayAndLastWeek) {
  const BatchTensors batch = some_batch(3, 50);
  const at::Tensor forecast = forward(build_all(small_model(), regions()), batch);
  for (int sample = 0; sample < 3; ++sample) {
    for (int hour = 0; hour < 24; ++hour) {
      const float yesterday = batch.context[sample][144 + hour].item<float>();
      const float last_week = batch.context[sample][hour].item<float>();
      EXPECT_NEAR(forecast[sample][hour].item<float>(), (yesterday + last_week) / 2, 1e-5);
    }
  }
}

// With 48 hours of context there is no last week; the second day of the horizon repeats the first.
TEST_F(TorchForecasterTest, StartsFromYesterdayWhereTheContextIsShort) {
  DataSettings data = regions();
  data.context = 48;
  data.horizon = 36;
  const LoadWindows short_loads = LoadWindows::load(data);
  const BatchTensors batch = make_batch(short_loads, short_loads.training().first(1), 12);
  const at::Tensor forecast = forward(build_all(small_model(), data), batch);
  for (int hour = 0; hour < 36; ++hour) {
    EXPECT_NEAR(forecast[0][hour].item<float>(), batch.context[0][24 + hour % 24].item<float>(),
                1e-5);
  }
}

TEST_F(TorchForecasterTest, HasTheSameWeightsHoweverItIsSplit) {
  const Layers whole = build_all(small_model(), regions());
  for (int first = 0; first < 5; ++first) {
    const Layers part = build_layers(small_model(), regions(), 1, {first}, {first + 1});
    ASSERT_EQ(part.size(), 1u);
    const auto& expected = whole[static_cast<std::size_t>(first)]->parameters();
    const auto& real = part[0]->parameters();
    ASSERT_EQ(real.size(), expected.size());
    for (std::size_t i = 0; i < real.size(); ++i) {
      EXPECT_TRUE(at::equal(real[i].second, expected[i].second)) << real[i].first;
    }
  }
}

TEST_F(TorchForecasterTest, DrawsItsWeightsFromTheSeed) {
  const Layers one = build_all(small_model(), regions(), 1);
  const Layers two = build_all(small_model(), regions(), 2);
  const at::Tensor qkv = one[1]->parameters()[2].second;
  EXPECT_FALSE(at::equal(qkv, two[1]->parameters()[2].second));
  EXPECT_FALSE(at::equal(qkv, one[2]->parameters()[2].second));
  // Standard deviation 1 / sqrt(width); 72 x 24 draws leave it within a few percent.
  EXPECT_NEAR(qkv.std().item<double>() * std::sqrt(24.0), 1.0, 0.08);
}

TEST_F(TorchForecasterTest, GivesTheSameBitsTwice) {
  const BatchTensors batch = some_batch(8);
  const auto first = gradients(build_all(small_model(), regions()), batch);
  const auto second = gradients(build_all(small_model(), regions()), batch);
  for (std::size_t i = 0; i < first.size(); ++i) EXPECT_TRUE(at::equal(first[i], second[i])) << i;
}

// The head starts with a path of zeros to the blocks, so it must learn first: one step does.
void give_the_blocks_a_gradient(const Layers& layers) {
  const at::NoGradGuard no_grad;
  for (const auto& [name, tensor] : layers.back()->parameters()) {
    if (name == "head.output.weight") at::Tensor(tensor).fill_(0.01);
  }
}

TEST_F(TorchForecasterTest, GivesFrozenLayersNoGradientAndTheOthersTheSame) {
  const BatchTensors batch = some_batch(4);
  const Layers free = build_all(small_model(), regions());
  const Layers frozen = build_all(small_model(), regions());
  give_the_blocks_a_gradient(free);
  give_the_blocks_a_gradient(frozen);
  set_requires_grad(*frozen[2], false);
  gradients(free, batch);
  gradients(frozen, batch);
  for (std::size_t layer = 0; layer < free.size(); ++layer) {
    for (std::size_t i = 0; i < free[layer]->parameters().size(); ++i) {
      const auto& [name, tensor] = frozen[layer]->parameters()[i];
      const at::Tensor expected = free[layer]->parameters()[i].second.grad();
      if (layer == 2) {
        EXPECT_FALSE(tensor.grad().defined()) << name;
      } else {
        EXPECT_TRUE(at::equal(tensor.grad(), expected)) << name;
        EXPECT_GT(expected.abs().sum().item<double>(), 0) << name;
      }
    }
  }
}

TEST_F(TorchForecasterTest, FollowsTheLevelOfTheContext) {
  const BatchTensors batch = some_batch(2);
  const BatchTensors higher{batch.context.add(0.5), batch.calendar, batch.target};
  const Layers layers = build_all(small_model(), regions());
  give_the_blocks_a_gradient(layers);
  const at::Tensor difference = forward(layers, higher).sub(forward(layers, batch));
  EXPECT_TRUE(difference.sub(0.5).abs().max().item<double>() < 1e-4);
}

TEST_F(TorchForecasterTest, LearnsABatchByHeart) {
  const BatchTensors batch = some_batch(8, 97);
  const Layers layers = build_all(small_model(), regions());
  const double before = forecast_loss(forward(layers, batch), batch).item<double>();
  for (int step = 0; step < 60; ++step) {
    gradients(layers, batch);
    const at::NoGradGuard no_grad;
    for (const auto& layer : layers) {
      for (const auto& [name, tensor] : layer->parameters()) {
        at::Tensor(tensor).sub_(tensor.grad().mul(0.02));
        at::Tensor(tensor).mutable_grad().reset();
      }
    }
  }
  EXPECT_LT(forecast_loss(forward(layers, batch), batch).item<double>(), 0.25 * before);
}

TEST_F(TorchForecasterTest, ScoresTheMeanSquaredErrorOfTheNormalisedForecast) {
  BatchTensors batch = some_batch(2);
  EXPECT_NEAR(forecast_loss(batch.target.add(0.5), batch).item<double>(), 0.25, 1e-6);
}

TEST_F(TorchForecasterTest, DropsOutInTrainingOnly) {
  ModelSettings model = small_model();
  model.dropout = 0.5;
  const BatchTensors batch = some_batch(2);
  const Layers layers = build_all(model, regions());
  give_the_blocks_a_gradient(layers);
  const at::Tensor evaluated = forward(layers, batch, {.training = false});
  const Layers plain = build_all(small_model(), regions());
  give_the_blocks_a_gradient(plain);
  EXPECT_TRUE(at::equal(evaluated, forward(plain, batch)));
  const at::Tensor trained = forward(layers, batch, {.seed = 1, .step = 3, .micro_batch = 1});
  EXPECT_FALSE(at::equal(trained, evaluated));
  EXPECT_TRUE(at::equal(trained, forward(layers, batch, {.seed = 1, .step = 3, .micro_batch = 1})));
}

}  // namespace
}  // namespace frostline::models
