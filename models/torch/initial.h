#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>

#include "models/layer_description.h"

namespace frostline::models {

/// Whose initial values are drawn: they depend on this and the tensor's place in the layer alone.
struct InitialDraw {
  std::uint64_t seed = 0;
  base::LayerId layer;
};

/// Normal with the given standard deviation, float32 on the CPU; `tensor` counts within the layer.
at::Tensor normal_values(const TensorDescription& description, double deviation,
                         const InitialDraw& draw, int tensor);

/// All elements alike, float32 on the CPU.
at::Tensor constant_values(const TensorDescription& description, double value);

}  // namespace frostline::models
