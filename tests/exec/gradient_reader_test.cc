#include "exec/gradient_reader.h"

#include <ATen/ops/empty.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>
#include <limits>

namespace frostline::exec {
namespace {

at::Tensor of(const std::vector<float>& values) {
  at::Tensor tensor = at::empty({static_cast<std::int64_t>(values.size())}, at::kFloat);
  std::copy(values.begin(), values.end(), tensor.mutable_data_ptr<float>());
  return tensor;
}

TEST(GradientReader, AnUndefinedGradientHasNoElements) {
  const auto sums = read_gradient(at::Tensor());
  EXPECT_EQ(sums.elements, 0);
  EXPECT_EQ(sums.sample().mean_abs, 0);
}

TEST(GradientReader, TakesTensorsTogetherByTheirElements) {
  GradientSums sums = read_gradient(of({-1, 2, -3}));
  sums += read_gradient(of({4}));
  EXPECT_EQ(sums.sample().mean_abs, 2.5);     // (1 + 2 + 3 + 4) / 4
  EXPECT_EQ(sums.sample().squared_norm, 30);  // 1 + 4 + 9 + 16
}

TEST(GradientReader, ReadsWhatIsNotContiguous) {
  const at::Tensor wide = of({1, 2, 3, 4, 5, 6}).reshape({2, 3});
  EXPECT_EQ(read_gradient(wide.t()).squares, 91);
  EXPECT_EQ(read_gradient(wide.select(1, 1)).absolute, 7);
}

TEST(GradientReader, IsNotFiniteIfAnElementIsNot) {
  for (const float bad :
       {std::numeric_limits<float>::quiet_NaN(), -std::numeric_limits<float>::infinity()}) {
    std::vector<float> values(3000, 1.0F);
    values[2999] = bad;
    EXPECT_FALSE(std::isfinite(read_gradient(of(values)).sample().mean_abs));
    EXPECT_FALSE(std::isfinite(read_gradient(of(values)).sample().squared_norm));
  }
}

RC_GTEST_PROP(GradientReader, AgreesWithSumsInDouble, ()) {
  const int count = *rc::gen::inRange(1, 5000);
  std::vector<float> values;
  std::uint32_t state = *rc::gen::arbitrary<std::uint32_t>();
  double absolute = 0, squares = 0;
  for (int i = 0; i < count; ++i) {
    state = state * 1664525U + 1013904223U;
    values.push_back((static_cast<float>(state) / 4294967296.0F - 0.5F) * 1e-3F);
    absolute += std::abs(static_cast<double>(values.back()));
    squares += static_cast<double>(values.back()) * values.back();
  }
  const auto sums = read_gradient(of(values));
  RC_ASSERT(sums.elements == count);
  RC_ASSERT(std::abs(sums.absolute - absolute) <= 1e-6 * absolute);
  RC_ASSERT(std::abs(sums.squares - squares) <= 1e-6 * squares);
}

}  // namespace
}  // namespace frostline::exec
