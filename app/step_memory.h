#pragma once

#include <nlohmann/json.hpp>
#include <vector>

#include "app/scenario.h"
#include "cost/layer_cost.h"
#include "cost/rank_memory.h"
#include "pipeline/schedule.h"
#include "pipeline/timeline.h"

namespace frostline::app {

/// Of a rank's devices in all replicas the one with the least memory. Requires cluster.devices.
int tightest_device(const Scenario& scenario, pipeline::Rank rank);

/// What the ranks hold in the step that runs under a mask.
struct StepMemory {
  /// The optimizer holds no state of the units in `untrained`, which have been frozen so far.
  StepMemory(const Scenario& scenario, const cost::ModelCost& cost,
             const pipeline::FreezeMask& mask, const pipeline::FreezeMask& untrained);

  /// When each rank's memory first reaches its peak, by the spans of that step; 0 for a rank that
  /// computes nothing.
  std::vector<base::Duration> peak_times(const pipeline::Timeline& timeline) const;
  /// For the summary: peak_activations, peak_activation_bytes, peak_memory_bytes,
  /// peak_memory_at_ms, and the parts of the peak as memory_parts, where weights, gradients and
  /// optimizer are left out if there is no model to say how large they are; with cluster.devices
  /// also device_memory_bytes.
  nlohmann::json json(const pipeline::Timeline& timeline) const;

  pipeline::Schedule schedule;  ///< as executed
  std::vector<cost::RankMemory> ranks;
  std::vector<base::Bytes> device_memory;  ///< one a rank; empty without cluster.devices
  bool has_model = false;

 private:
  StepMemory(const Scenario& scenario, const cost::ModelCost& cost, const pipeline::Plan& plan,
             const pipeline::FreezeMask& untrained);
};

}  // namespace frostline::app
