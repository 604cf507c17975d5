#include "models/torch/initial.h"

#include <ATen/ops/empty.h>
#include <ATen/ops/full.h>

#include "base/random.h"

namespace frostline::models {

at::Tensor normal_values(const TensorDescription& description, double deviation,
                         const InitialDraw& draw, int tensor) {
  base::RandomStream stream(draw.seed, base::Purpose::kInitialWeights,
                            static_cast<std::uint32_t>(draw.layer.value),
                            static_cast<std::uint32_t>(tensor));
  at::Tensor values = at::empty(description.shape, at::kFloat);
  auto* out = values.mutable_data_ptr<float>();
  for (std::int64_t i = 0; i < values.numel(); ++i) {
    out[i] = static_cast<float>(deviation * stream.normal());
  }
  return values;
}

at::Tensor constant_values(const TensorDescription& description, double value) {
  return at::full(description.shape, value, at::kFloat);
}

}  // namespace frostline::models
