#include <cassert>
#include <cmath>

#include "cost/settings.h"

namespace frostline::cost {
namespace {

using base::Bytes;
using base::Numbers;
using pipeline::LayerId;
using pipeline::PipelineShape;
using pipeline::Rank;
using pipeline::StageId;

constexpr double kNsPerMs = 1e6;
constexpr double kBytesPerMib = 1024.0 * 1024.0;

/// A stage's figures, shared evenly by its layers.
class StageFigures {
 public:
  StageFigures(const CostSettings& settings, int ranks, const std::vector<Rank>& rank_of_stage,
               StageId stage, int layers)
      : settings_(settings),
        ranks_(ranks),
        rank_of_stage_(rank_of_stage),
        stage_(stage),
        layers_(layers) {}

  /// The `index`-th of the stage's layers.
  LayerCost layer(int index) const {
    LayerCost cost;
    cost.forward_ns = time(settings_.forward_ms);
    cost.forward_below_ns = cost.forward_ns;
    cost.input_gradient_ns = time(settings_.input_gradient_ms);
    cost.weight_gradient_ns = time(settings_.weight_gradient_ms);
    cost.frozen_backward_ns = settings_.frozen_backward_ms.empty()
                                  ? cost.input_gradient_ns
                                  : time(settings_.frozen_backward_ms);
    if (!settings_.overlap_ms.empty()) {
      cost.overlap_saving_ns = cost.forward_ns + cost.input_gradient_ns + cost.weight_gradient_ns -
                               time(settings_.overlap_ms);
    }
    cost.activation = part(activation(), index);
    cost.activation_after_input_gradient = part(after_input_gradient(), index);
    if (!settings_.message_mib.empty()) cost.output = size(value(settings_.message_mib));
    return cost;
  }

 private:
  double value(const Numbers& list) const {
    return stage_value(list, ranks_, rank_of_stage_, stage_);
  }
  double time(const Numbers& list) const { return value(list) * kNsPerMs / layers_; }
  Bytes size(double mib) const { return {std::llround(mib * kBytesPerMib)}; }
  Bytes activation() const { return size(value(settings_.activation_mib)); }

  Bytes after_input_gradient() const {
    const Numbers& given = settings_.activation_after_input_gradient_mib;
    return given.empty() ? size(value(settings_.activation_mib) / 2) : size(value(given));
  }

  /// Whole bytes that add up to `whole` over the stage's layers.
  Bytes part(Bytes whole, int index) const {
    return {whole.count * (index + 1) / layers_ - whole.count * index / layers_};
  }

  const CostSettings& settings_;
  int ranks_;
  const std::vector<Rank>& rank_of_stage_;
  StageId stage_;
  int layers_;
};

}  // namespace

ModelCost table_cost(const CostSettings& settings, const PipelineShape& shape, int layers) {
  return table_cost(settings, shape, layers, looped_placement(shape));
}

ModelCost table_cost(const CostSettings& settings, const PipelineShape& shape, int layers,
                     const std::vector<Rank>& rank_of_stage) {
  assert(settings.source == "table");
  const auto partition = pipeline::Partition::even(layers, shape.stages());
  ModelCost cost;
  cost.partial_freeze_overhead = settings.partial_freeze_overhead;
  cost.send_ns = settings.send_ms * kNsPerMs;
  for (const StageId stage : base::ids<StageId>(shape.stages())) {
    const int count = partition.end(stage).value - partition.first(stage).value;
    const StageFigures figures(settings, shape.ranks, rank_of_stage, stage, count);
    for (int index = 0; index < count; ++index) cost.layers.push_back(figures.layer(index));
  }
  return cost;
}

}  // namespace frostline::cost
