#include <ATen/core/grad_mode.h>
#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <cmath>

#include "base/error.h"
#include "exec/rank_stage.h"

// The forward and the backward of one micro-batch through one stage.

namespace frostline::exec {

using pipeline::ActionKind;
using pipeline::MicroBatch;
using pipeline::StageId;

void RankStage::forward(StageId stage, MicroBatch micro_batch) {
  if (!evaluating_) use_mask(micro_batch);
  const Key at{stage, micro_batch};
  const models::BatchTensors batch = batch_for(at);
  const at::Tensor input = receive_input(stage, micro_batch);
  const at::AutoGradMode mode(!evaluating_);
  const at::Tensor root = finish_forward(at, run_layers(at, input, batch), batch);
  if (has_backward(at)) in_flight_.emplace(at, InFlight{input, root});
}

/// A fresh leaf for each micro-batch; it asks for a gradient exactly if that is sent.
at::Tensor RankStage::receive_input(StageId stage, MicroBatch micro_batch) {
  if (stage.value == 0) return {};
  at::Tensor input = hand_over_.take({ActionKind::kReceiveForward, stage, micro_batch}).detach();
  if (!evaluating_) input.set_requires_grad(rules_->sends_gradient(stage, micro_batch));
  return input;
}

at::Tensor RankStage::run_layers(Key at, at::Tensor hidden, const models::BatchTensors& batch) {
  const pipeline::LayerId last = plan_.partition.end(plan_.schedule->last_stage()).previous();
  for (PlacedLayer& placed : layers_) {
    if (plan_.partition.stage_of(placed.id) != at.first) continue;
    const bool sees_batch = placed.id.value == 0 || placed.id == last;
    const bool graph = keeps_graph(placed.id, at);
    const at::AutoGradMode mode(graph);
    hidden = placed.layer->forward(hidden, sees_batch ? batch : models::BatchTensors{},
                                   context(placed, at, graph));
  }
  return hidden;
}

at::Tensor RankStage::finish_forward(Key at, const at::Tensor& output,
                                     const models::BatchTensors& batch) {
  if (!is_last(at.first)) {
    ship({ActionKind::kSendForward, at.first, at.second}, output.detach());
    return output;
  }
  if (!evaluating_) return note_loss(task_.loss(output, batch), at.second);
  assert(outputs_.size() == at.second.index());
  outputs_.push_back(output);
  return {};
}

/// Gradients are those of the mean over the micro-batches, so each loss enters with 1/m.
at::Tensor RankStage::note_loss(const at::Tensor& loss, MicroBatch micro_batch) {
  const double value = loss.item<double>();
  if (!std::isfinite(value)) {
    throw base::Error(
        fmt::format("step {}, micro-batch {}: the loss is {}; lower train.learning_rate, or set "
                    "train.clip_norm",
                    step_ + 1, micro_batch.value, value));
  }
  losses_.at(micro_batch.index()) = value;
  return loss.div(static_cast<double>(losses_.size()));
}

void RankStage::backward(StageId stage, MicroBatch micro_batch) {
  use_mask(micro_batch);
  const InFlight flight = std::move(in_flight_.extract(Key{stage, micro_batch}).mapped());
  at::Tensor gradient;
  if (!is_last(stage)) {
    gradient = hand_over_.take({ActionKind::kReceiveBackward, stage, micro_batch});
  }
  flight.root.backward(gradient);
  if (rules_->sends_gradient(stage, micro_batch)) {
    ship({ActionKind::kSendBackward, stage, micro_batch}, flight.input.grad());
  }
}

models::BatchTensors RankStage::batch_for(Key at) const {
  const auto [stage, micro_batch] = at;
  if (stage.value != 0 && !is_last(stage)) return {};
  if (evaluating_) return task_.held_out_batch(*evaluating_, micro_batch.value);
  return task_.training_batch(step_, micro_batch.value, plan_.schedule->shape.micro_batches);
}

/// Below the frost line a layer is in evaluation mode; above it, the running statistics of a layer
/// whose units are all frozen stand still.
models::ForwardContext RankStage::context(const PlacedLayer& placed, Key at,
                                          bool keeps_graph) const {
  const auto is_frozen = [&](pipeline::UnitId unit) { return mask_.frozen(unit); };
  const bool frozen = !placed.units.empty() && std::ranges::all_of(placed.units, is_frozen);
  return {seed_, step_, at.second.value, keeps_graph, keeps_graph && !frozen};
}

bool RankStage::keeps_graph(pipeline::LayerId layer, Key at) const {
  return !evaluating_ && layer >= rules_->first_backward_layer(at.first, at.second);
}

bool RankStage::has_backward(Key at) const {
  return !evaluating_ && rules_->need(at.first, at.second) != pipeline::BackwardNeed::kNone;
}

}  // namespace frostline::exec
