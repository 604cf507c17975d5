#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>

#include "policy/ledger.h"

namespace frostline::exec {

/// Sums over the elements of float32 gradients, in double by blocks of float sums: relative error
/// about 1e-7, order of summation fixed. Not finite if an element is not. Elements below 1e-19 add
/// nothing to the squares, which underflow.
struct GradientSums {
  double absolute = 0;  ///< sum of |g|
  double squares = 0;   ///< sum of g^2
  std::int64_t elements = 0;

  GradientSums& operator+=(const GradientSums& other);
  /// Mean absolute value and squared norm of all elements together; zeros if there are none.
  policy::GradientSample sample() const;
};

/// The sums of one gradient; an undefined one has no elements.
GradientSums read_gradient(const at::Tensor& gradient);

}  // namespace frostline::exec
