#pragma once

#include <ATen/core/Generator.h>
#include <ATen/core/Tensor.h>

#include <optional>

#include "base/id.h"
#include "models/torch/layer.h"

namespace frostline::models {

/// The dropout of one forward of one layer. What is dropped is a pure function of seed, step,
/// layer, micro-batch and the order of the calls in the layer; masks are drawn on the CPU, so that
/// they are the same on every device. Gives its input back in evaluation mode or with a share of 0.
class Dropout {
 public:
  Dropout(double share, base::LayerId layer, const ForwardContext& where);
  /// Sets a share of the elements to 0 and scales the others to keep the mean.
  at::Tensor operator()(const at::Tensor& input);

 private:
  double kept_;
  std::optional<at::Generator> generator_;  ///< none: nothing is dropped
};

}  // namespace frostline::models
