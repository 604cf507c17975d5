#include "cost/stage_cost.h"

#include <cassert>
#include <cmath>

namespace frostline::cost {
namespace {

using pipeline::BackwardNeed;
using pipeline::FreezeMask;
using pipeline::LayerId;

base::IdRange<LayerId> all_layers(const StageWork& work) {
  return {work.first.value, work.end.value};
}

bool trains(const StageWork& work) {
  return work.need == BackwardNeed::kFull || work.need == BackwardNeed::kToFrostLine;
}

double forward_ns(const ModelCost& cost, const StageWork& work) {
  double sum = 0;
  for (const LayerId layer : all_layers(work)) {
    const LayerCost& costs = cost.layers[layer.index()];
    const bool keeps_graph = layer >= work.first_backward && !cost.recompute;
    sum += keeps_graph ? costs.forward_ns : costs.forward_below_ns;
  }
  return sum;
}

/// The chain from the stage's output to its first layer with a backward, which counts whole: the
/// layer's inner weights need it.
double input_gradient_ns(const ModelCost& cost, const StageWork& work) {
  double sum = 0;
  for (const LayerId layer : base::IdRange<LayerId>(work.first_backward.value, work.end.value)) {
    const LayerCost& costs = cost.layers[layer.index()];
    sum += trains(work) ? costs.input_gradient_ns : costs.frozen_backward_ns;
  }
  return sum;
}

/// Sum of w_i over the units that train, and on top o times the sum over all of the stage's units
/// if some of them, but not all, are frozen.
double weight_gradient_ns(const ModelCost& cost, const UnitShares& shares, const StageWork& work,
                          const FreezeMask& mask) {
  double trained = 0;
  double whole = 0;
  bool some_frozen = false;
  for (const LayerId layer : all_layers(work)) {
    if (!shares.has_units(layer)) continue;
    const double layer_ns = cost.layers[layer.index()].weight_gradient_ns;
    whole += layer_ns;
    trained += layer_ns * shares.trained(layer, mask);
    some_frozen = some_frozen || !shares.none_frozen(layer, mask);
  }
  return some_frozen ? trained + cost.partial_freeze_overhead * whole : trained;
}

/// As with nothing frozen: what is left of a pair keeps its part.
double overlapped(const ModelCost& cost, const StageWork& work) {
  double whole = 0;
  double saving = 0;
  for (const LayerId layer : all_layers(work)) {
    const LayerCost& costs = cost.layers[layer.index()];
    whole += costs.forward_ns + costs.input_gradient_ns + costs.weight_gradient_ns;
    saving += costs.overlap_saving_ns;
  }
  return whole > 0 ? 1 - saving / whole : 1;
}

void add_activations(const ModelCost& cost, const StageWork& work, StageCost& sum) {
  for (const LayerId layer : base::IdRange<LayerId>(work.first_backward.value, work.end.value)) {
    const LayerCost& costs = cost.layers[layer.index()];
    sum.activation += costs.activation;
    // A stage with no W keeps nothing for it.
    if (trains(work)) sum.after_input_gradient += costs.activation_after_input_gradient;
  }
}

void add_recomputation(const ModelCost& cost, const StageWork& work, StageCost& sum) {
  for (const LayerId layer : base::IdRange<LayerId>(work.first_backward.value, work.end.value)) {
    sum.input_gradient_ns += cost.layers[layer.index()].forward_ns;
  }
  sum.recomputed = sum.activation;
  sum.activation = {};
  if (work.first_backward.value == 0) return;
  sum.activation = cost.layers[work.first_backward.previous().index()].output;
}

}  // namespace

StageWork stage_work(const pipeline::Partition& partition, const pipeline::FreezeRules& rules,
                     pipeline::StageId stage, pipeline::MicroBatch micro_batch) {
  return {partition.first(stage), partition.end(stage), rules.need(stage, micro_batch),
          rules.first_backward_layer(stage, micro_batch)};
}

StageCost stage_cost(const ModelCost& cost, const UnitShares& shares, const StageWork& work,
                     const FreezeMask& mask) {
  StageCost sum;
  sum.forward_ns = forward_ns(cost, work);
  sum.overlapped = overlapped(cost, work);
  if (work.need == BackwardNeed::kNone) return sum;
  sum.input_gradient_ns = input_gradient_ns(cost, work);
  if (trains(work)) sum.weight_gradient_ns = weight_gradient_ns(cost, shares, work, mask);
  add_activations(cost, work, sum);
  if (cost.recompute) add_recomputation(cost, work, sum);
  return sum;
}

void StageCost::take_longer(double factor) {
  forward_ns *= factor;
  input_gradient_ns *= factor;
  weight_gradient_ns *= factor;
}

base::Duration rounded(double nanoseconds) {
  assert(nanoseconds >= 0 && nanoseconds < 9e18);
  return base::Duration(std::llround(nanoseconds));
}

}  // namespace frostline::cost
