#include "cost/flops.h"

namespace frostline::cost {

ModelCost flops_as_cost(const models::ModelDescription& model) {
  ModelCost cost;
  for (const auto& layer : model.layers)
    cost.layers.push_back({.forward_ns = layer.forward_flops,
                           .forward_below_ns = layer.forward_flops,
                           .input_gradient_ns = layer.input_gradient_flops,
                           .weight_gradient_ns = layer.weight_gradient_flops,
                           .frozen_backward_ns = layer.input_gradient_flops,
                           .activation = layer.activation});
  return cost;
}

}  // namespace frostline::cost
