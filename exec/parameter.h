#pragma once

#include <ATen/core/Tensor.h>

#include <string>
#include <vector>

#include "pipeline/action.h"

namespace frostline::exec {

/// A learnable tensor of a rank and its place in the model.
struct Parameter {
  std::string name;   ///< its global name
  at::Tensor tensor;  ///< the layer's own: a leaf
  pipeline::UnitId unit;
  pipeline::LayerId layer;
};

/// In forward order.
using Parameters = std::vector<Parameter>;

}  // namespace frostline::exec
