#include "models/torch/dropout.h"

#include <ATen/ops/equal.h>
#include <ATen/ops/ones.h>
#include <gtest/gtest.h>

namespace frostline::models {
namespace {

constexpr ForwardContext kWhere{.seed = 7, .step = 5, .micro_batch = 2, .training = true};

at::Tensor mask(base::LayerId layer, const ForwardContext& where, double share = 0.25) {
  return Dropout(share, layer, where)(at::ones({100, 100}));
}

TEST(DropoutTest, DropsItsShareAndKeepsTheMean) {
  const at::Tensor kept = mask({1}, kWhere);
  const double dropped = kept.eq(0).sum().item<double>() / 1e4;
  EXPECT_NEAR(dropped, 0.25, 0.02);  // 4.6 standard deviations
  EXPECT_NEAR(kept.max().item<double>(), 1 / 0.75, 1e-6);
  EXPECT_NEAR(kept.mean().item<double>(), (1 - dropped) / 0.75, 1e-5);
}

TEST(DropoutTest, IsAFunctionOfSeedStepLayerAndMicroBatch) {
  const at::Tensor kept = mask({1}, kWhere);
  EXPECT_TRUE(at::equal(kept, mask({1}, kWhere)));
  EXPECT_FALSE(at::equal(kept, mask({2}, kWhere)));
  EXPECT_FALSE(at::equal(kept, mask({1}, {.seed = 8, .step = 5, .micro_batch = 2})));
  EXPECT_FALSE(at::equal(kept, mask({1}, {.seed = 7, .step = 6, .micro_batch = 2})));
  EXPECT_FALSE(at::equal(kept, mask({1}, {.seed = 7, .step = 5, .micro_batch = 1})));
  EXPECT_FALSE(at::equal(kept, mask({2}, {.seed = 7, .step = 5, .micro_batch = 1})));
}

TEST(DropoutTest, DrawsAnewAtEachPlaceInTheLayer) {
  Dropout dropout(0.25, {1}, kWhere);
  const at::Tensor ones = at::ones({100});
  EXPECT_FALSE(at::equal(dropout(ones), dropout(ones)));
}

TEST(DropoutTest, GivesItsInputBackInEvaluationAndWithoutAShare) {
  const at::Tensor ones = at::ones({10});
  ForwardContext evaluation = kWhere;
  evaluation.training = false;
  EXPECT_TRUE(Dropout(0.5, {1}, evaluation)(ones).is_same(ones));
  EXPECT_TRUE(Dropout(0.0, {1}, kWhere)(ones).is_same(ones));
}

}  // namespace
}  // namespace frostline::models
