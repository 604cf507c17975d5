// What describe_forecaster says of a layer against what LibTorch really makes, runs and keeps. All
// numbers must agree exactly.

#include <ATen/Parallel.h>
#include <ATen/ops/ones_like.h>
#include <ATen/ops/randn.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/models/torch/flops_count.h"
#include "tests/models/torch/live_bytes.h"
#include "tests/models/torch/small_model.h"

namespace frostline::models {
namespace {

constexpr int kSamples = 5;

struct Sizes {
  const char* name;
  ModelSettings model;
  DataSettings data;
};

std::vector<Sizes> sizes() {
  ModelSettings defaults;
  defaults.kind = "forecaster";
  defaults.blocks = 2;
  ModelSettings dropping = small_model();
  dropping.dropout = 0.1;
  DataSettings long_horizon = regions();
  long_horizon.context = 336;
  long_horizon.horizon = 48;
  return {{"defaults", defaults, regions()},
          {"small", small_model(), regions()},
          {"dropout", dropping, regions()},
          {"long", small_model(), long_horizon}};
}

class DescribedCostTest : public ::testing::TestWithParam<Sizes> {
 protected:
  DescribedCostTest() {
    at::set_num_threads(1);
    const std::vector<Window> windows(loads_.training().begin(),
                                      loads_.training().begin() + kSamples);
    batch_ = make_batch(loads_, windows, static_cast<int>(GetParam().model.patch));
  }

  const LayerDescription& described(std::size_t layer) const { return description_.layers[layer]; }
  bool is_first(std::size_t layer) const { return layer == 0; }

  /// What the layer before would hand over: a leaf, so that its gradient is computed.
  at::Tensor input(std::size_t layer) const {
    if (is_first(layer)) return {};
    const ModelSettings& model = GetParam().model;
    return at::randn({kSamples, GetParam().data.context / model.patch, model.width})
        .set_requires_grad(true);
  }

  double backward_flops(std::size_t layer, bool weights_learn) {
    set_requires_grad(*layers_[layer], weights_learn);
    const at::Tensor output = layers_[layer]->forward(input(layer), batch_, {});
    const at::Tensor gradient = at::ones_like(output);
    const FlopsCount count;
    if (output.requires_grad()) output.backward(gradient);
    return count.flops() / kSamples;
  }

  LoadWindows loads_ = LoadWindows::load(GetParam().data);
  ModelDescription description_ = describe_model(GetParam().model, GetParam().data);
  Layers layers_ = build_all(GetParam().model, GetParam().data);
  BatchTensors batch_;
};

TEST_P(DescribedCostTest, NamesEveryTensorWithItsShape) {
  ASSERT_EQ(layers_.size(), description_.layers.size());
  for (std::size_t i = 0; i < layers_.size(); ++i) {
    const auto& real = layers_[i]->parameters();
    ASSERT_EQ(real.size(), described(i).tensors.size()) << described(i).name;
    for (std::size_t t = 0; t < real.size(); ++t) {
      EXPECT_EQ(real[t].first, described(i).tensors[t].name);
      EXPECT_EQ(real[t].second.sizes().vec(), described(i).tensors[t].shape) << real[t].first;
    }
    EXPECT_TRUE(layers_[i]->buffers().empty());
  }
}

TEST_P(DescribedCostTest, CountsEveryParameter) {
  std::int64_t all = 0;
  for (std::size_t i = 0; i < layers_.size(); ++i) {
    std::int64_t count = 0;
    for (const auto& [name, tensor] : layers_[i]->parameters()) count += tensor.numel();
    EXPECT_EQ(described(i).parameters(), count) << described(i).name;
    all += count;
  }
  EXPECT_EQ(description_.parameters(), all);
}

TEST_P(DescribedCostTest, UsesEveryTensorOfTheDescription) {
  for (std::size_t i = 0; i < layers_.size(); ++i) {
    const at::Tensor output = layers_[i]->forward(input(i), batch_, {});
    output.backward(at::ones_like(output));
    for (const auto& [name, tensor] : layers_[i]->parameters()) {
      EXPECT_TRUE(tensor.grad().defined()) << name;
    }
  }
}

TEST_P(DescribedCostTest, CountsTheForwardsFlops) {
  for (std::size_t i = 0; i < layers_.size(); ++i) {
    const FlopsCount count;
    layers_[i]->forward(input(i), batch_, {});
    EXPECT_EQ(count.flops() / kSamples, described(i).forward_flops) << described(i).name;
  }
}

TEST_P(DescribedCostTest, CountsTheBackwardsFlopsOfAFrozenLayer) {
  for (std::size_t i = 0; i < layers_.size(); ++i) {
    EXPECT_EQ(backward_flops(i, /*weights_learn=*/false), described(i).input_gradient_flops)
        << described(i).name;
  }
}

TEST_P(DescribedCostTest, CountsTheBackwardsFlopsOfALearningLayer) {
  for (std::size_t i = 0; i < layers_.size(); ++i) {
    EXPECT_EQ(backward_flops(i, /*weights_learn=*/true),
              described(i).input_gradient_flops + described(i).weight_gradient_flops)
        << described(i).name;
  }
}

TEST_P(DescribedCostTest, CountsTheOutputsBytes) {
  for (std::size_t i = 0; i < layers_.size(); ++i) {
    const at::Tensor output = layers_[i]->forward(input(i), batch_, {});
    EXPECT_EQ(static_cast<std::int64_t>(output.nbytes()), kSamples * described(i).output.count)
        << described(i).name;
  }
}

// What is still allocated after the forward is the output, which nobody saves, and what autograd
// saves; the input is saved too, but was allocated before.
TEST_P(DescribedCostTest, CountsTheBytesThatAutogradKeeps) {
  for (std::size_t i = 0; i < layers_.size(); ++i) {
    const at::Tensor hidden = input(i);
    const LiveBytes live;
    const at::Tensor output = layers_[i]->forward(hidden, batch_, {});
    const std::int64_t input_bytes =
        hidden.defined() ? static_cast<std::int64_t>(hidden.nbytes()) : 0;
    const std::int64_t kept = live.count() - static_cast<std::int64_t>(output.nbytes());
    EXPECT_EQ(kept + input_bytes, kSamples * described(i).activation.count) << described(i).name;
  }
}

INSTANTIATE_TEST_SUITE_P(Sizes, DescribedCostTest, ::testing::ValuesIn(sizes()),
                         [](const auto& sizes) { return sizes.param.name; });

}  // namespace
}  // namespace frostline::models
