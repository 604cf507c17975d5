#include "exec/layer_probe.h"

#include <ATen/core/grad_mode.h>
#include <ATen/ops/ones_like.h>

#include <algorithm>

#include "exec/stopwatch.h"

namespace frostline::exec {
namespace {

Parameters parameters_of(const models::TorchLayer& layer, pipeline::LayerId id) {
  Parameters parameters;
  for (const auto& [name, tensor] : layer.parameters())
    parameters.push_back({name, tensor, {0}, id});
  return parameters;
}

}  // namespace

void LayerFigures::add(const LayerFigures& other) {
  forward.add(other.forward);
  forward_below.add(other.forward_below);
  backward.add(other.backward);
  frozen_backward.add(other.frozen_backward);
  optimizer.add(other.optimizer);
  reading.add(other.reading);
}

double LayerFigures::largest_spread() const {
  return std::max({forward.spread(), forward_below.spread(), backward.spread(),
                   frozen_backward.spread(), optimizer.spread(), reading.spread()});
}

LayerProbe::LayerProbe(const models::LearningTask& task, const policy::TrainSettings& settings,
                       pipeline::LayerId id, Sizes sizes)
    : task_(task),
      id_(id),
      sizes_(sizes),
      layer_(std::move(task.build_layers(id, id.next()).front())),
      parameters_(parameters_of(*layer_, id)),
      gradients_(parameters_),
      optimizer_(make_optimizer(settings, parameters_)) {}

at::Tensor LayerProbe::take_input(const at::Tensor& hidden) {
  const at::NoGradGuard no_grad;
  input_ = hidden;
  models::BatchTensors batch;
  if (is_first() || is_last()) batch = task_.training_batch(0, 0, sizes_.micro_batches);
  return layer_->forward(hidden, batch, {.seed = sizes_.seed});
}

/// Gradients are dropped where a step would begin, so that both the first and the accumulating
/// backwards count as often as in a step.
void LayerProbe::measure() {
  if (rounds_++ % sizes_.micro_batches == 0) gradients_.drop();
  measure_passes(true, &figures_.forward, figures_.backward);
  measure_step_end();
  measure_forward_below();
  if (!is_first()) measure_passes(false, nullptr, figures_.frozen_backward);
}

at::Tensor LayerProbe::forward(const at::Tensor& hidden, bool training) {
  models::BatchTensors batch;
  if (is_first() || is_last()) batch = task_.training_batch(rounds_, 0, sizes_.micro_batches);
  const models::ForwardContext where{sizes_.seed, rounds_, 0, training, training};
  const at::Tensor output = layer_->forward(hidden, batch, where);
  if (!is_last()) return output;
  const at::Tensor loss = task_.loss(output, batch);
  loss.item<double>();
  return loss.div(sizes_.micro_batches);
}

at::Tensor LayerProbe::fresh_input(bool requires_grad) const {
  if (is_first()) return {};
  at::Tensor input = input_.detach();
  input.set_requires_grad(requires_grad);
  return input;
}

void LayerProbe::measure_passes(bool weights_train, Figure* forward_figure,
                                Figure& backward_figure) {
  train_weights(weights_train);
  const at::Tensor input = fresh_input(true);
  const Stopwatch forward_watch;
  at::Tensor output = forward(input, true);
  if (forward_figure != nullptr) forward_figure->add(forward_watch.nanoseconds());
  const at::Tensor gradient = is_last() ? at::Tensor() : at::ones_like(output);
  const Stopwatch backward_watch;
  output.backward(gradient);
  output.reset();  // what the graph held is freed within a backward action too
  backward_figure.add(backward_watch.nanoseconds());
}

void LayerProbe::measure_forward_below() {
  const at::NoGradGuard no_grad;
  const at::Tensor input = fresh_input(false);
  const Stopwatch watch;
  forward(input, false);
  figures_.forward_below.add(watch.nanoseconds());
}

/// The learning rate is 0: the work is the same and the weights stay sane.
void LayerProbe::measure_step_end() {
  const Stopwatch reading;
  gradients_.read();
  figures_.reading.add(reading.nanoseconds());
  const Stopwatch optimizer;
  optimizer_->step(0.0);
  figures_.optimizer.add(optimizer.nanoseconds());
}

void LayerProbe::train_weights(bool train) {
  for (const Parameter& parameter : parameters_) parameter.tensor.set_requires_grad(train);
}

bool LayerProbe::is_last() const { return id_.next().index() == task_.model().layers.size(); }

}  // namespace frostline::exec
