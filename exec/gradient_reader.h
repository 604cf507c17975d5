#pragma once

#include <ATen/core/Tensor.h>

#include <span>

#include "policy/ledger.h"

namespace frostline::exec {

/// Mean absolute value and squared norm over all elements of some float32 gradients together, summed in double by blocks: relative
/// error about 1e-7, order of summation fixed. Undefined gradients count as absent; not finite if an element is.
policy::GradientSample read_gradients(std::span<const at::Tensor> gradients);

/// Sum of squares alone, for the clip norm.
double squared_norm(const at::Tensor& gradient);

}  // namespace frostline::exec
