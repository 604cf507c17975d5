#pragma once

#include <string>
#include <utility>

#include "cost/layer_cost.h"
#include "pipeline/plan.h"
#include "pipeline/schedules/registry.h"

namespace frostline::cost {

/// Times of a layer in nanoseconds; a layer below the frost line costs the same forward, a frozen
/// one the same input gradient.
inline LayerCost layer_cost(double forward, double input_gradient, double weight_gradient) {
  LayerCost cost;
  cost.forward_ns = forward;
  cost.forward_below_ns = forward;
  cost.input_gradient_ns = input_gradient;
  cost.weight_gradient_ns = weight_gradient;
  cost.frozen_backward_ns = input_gradient;
  cost.activation = {100};
  cost.activation_after_input_gradient = {40};
  return cost;
}

inline ModelCost equal_layers(int layers, const LayerCost& layer) {
  ModelCost cost;
  cost.layers.assign(static_cast<std::size_t>(layers), layer);
  return cost;
}

inline pipeline::Plan make_plan(const std::string& schedule, const pipeline::PipelineShape& shape,
                                pipeline::Partition partition, pipeline::FreezePlan freeze,
                                pipeline::Cut cut = pipeline::Cut::kPrefix) {
  return {pipeline::make_schedule(schedule, shape), std::move(partition), std::move(freeze), cut};
}

}  // namespace frostline::cost
