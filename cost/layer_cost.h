#pragma once

#include <memory>
#include <vector>

#include "base/bytes.h"
#include "base/id.h"

namespace frostline::cost {

struct Topology;

/// What one layer costs for one micro-batch on one rank, in nanoseconds before rounding: durations
/// are rounded once, when the time of an action is made from its layers.
struct LayerCost {
  double forward_ns = 0;
  double forward_below_ns = 0;  ///< below the frost line: no graph is kept
  double input_gradient_ns = 0;
  double weight_gradient_ns = 0;
  double frozen_backward_ns = 0;  ///< what its backward then becomes: an input gradient
  double optimizer_ns = 0;        ///< once a step, with all of its units trained
  base::Bytes activation;         ///< held from F
  base::Bytes activation_after_input_gradient;  ///< the part still held between I and W
  double overlap_saving_ns = 0;  ///< what its forward and whole backward take less as a pair
  base::Bytes output;  ///< handed to the next layer, whose input gradient is as large; 0: no figure

  friend bool operator==(const LayerCost&, const LayerCost&) = default;
};

/// What a pipeline's actions cost, whatever the figures came from: a table, a profile, a formula.
struct ModelCost {
  std::vector<LayerCost> layers;
  double partial_freeze_overhead = 0;  ///< o, as a share of the stage's weight-gradient time
  double send_ns = 0;                  ///< pure delay: occupies neither link nor sender
  double step_ns = 0;  ///< once a step, whatever trains: clip norm, reading gradients, hand-over to
                       ///< the next step
  /// Of a stage's forward its input alone is kept, and its backward begins with the forward anew.
  bool recompute = false;
  double validation_ns = 0;  ///< one validation; 0 if the source does not say
  double load_data_ns = 0;   ///< loading of a step's data, beside the step before
  double checkpoint_ns = 0;  ///< writing one checkpoint; nothing computes meanwhile
  /// How fast each rank's device is, where 1 takes the layers' times; empty: all are equal.
  std::vector<double> rank_speed;
  /// What joins the ranks' devices, on top of send_ns; null: nothing.
  std::shared_ptr<const Topology> topology;

  /// What the layers' times are multiplied by on this rank.
  double slowness(base::Rank rank) const {
    return rank_speed.empty() ? 1.0 : 1.0 / rank_speed.at(rank.index());
  }

  friend bool operator==(const ModelCost&, const ModelCost&) = default;
};

}  // namespace frostline::cost
