#include "tests/exec/chain_task.h"

#include <ATen/TensorOperators.h>
#include <ATen/core/grad_mode.h>
#include <ATen/ops/addmm.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/mm.h>
#include <ATen/ops/mse_loss.h>
#include <ATen/ops/ones.h>
#include <ATen/ops/zeros.h>

#include <cmath>
#include <utility>

#include "base/error.h"
#include "base/random.h"
#include "models/torch/dropout.h"

namespace frostline::exec {
namespace {

constexpr int kInputs = 5;
constexpr int kWidth = 7;
constexpr int kOutputs = 3;
constexpr std::uint64_t kDataSeed = 77;
constexpr int kHeldOut = 3;  // batches
constexpr double kUpdate = 0.1;

at::Tensor drawn(std::vector<std::int64_t> shape, double deviation, std::uint64_t seed, int a,
                 int b) {
  at::Tensor tensor = at::empty(shape, at::kFloat);
  base::RandomStream stream(seed, base::Purpose::kInitialWeights, static_cast<std::uint32_t>(a),
                            static_cast<std::uint32_t>(b));
  auto* values = tensor.mutable_data_ptr<float>();
  for (std::int64_t i = 0; i < tensor.numel(); ++i) {
    values[i] = static_cast<float>(deviation * stream.normal());
  }
  return tensor;
}

class Dense : public models::TorchLayer {
 public:
  Dense(const ChainTask& task, int index) : task_(task), index_(index) {
    const auto& description = task.model().layers[static_cast<std::size_t>(index)];
    const auto& shape = description.tensors[0].shape;
    weight_ =
        add_parameter(description.tensors[0].name,
                      drawn(shape, 1.0 / std::sqrt(static_cast<double>(shape[0])), 3, index, 0));
    bias_ = add_parameter(description.tensors[1].name, drawn({shape[1]}, 0.1, 3, index, 1));
    if (normalises()) add_normalisation(description);
  }

  at::Tensor forward(const at::Tensor& hidden, const models::BatchTensors& batch,
                     const models::ForwardContext& where) override {
    if (task_.options().on_forward) task_.options().on_forward(index_, where);
    const at::Tensor input = index_ == 0 ? batch.context : hidden;
    const at::Tensor output = computed(input, where);
    task_.note(
        {index_, where, input.requires_grad(), output.requires_grad(), batch.context.defined()});
    return output;
  }

 private:
  bool normalises() const { return index_ == task_.options().normalised; }
  bool is_head() const { return index_ + 1 == task_.options().layers; }

  void add_normalisation(const models::LayerDescription& description) {
    scale_ = add_parameter(description.tensors[2].name, at::ones({kWidth}));
    mean_ = add_buffer(description.name + ".running_mean", at::zeros({kWidth}));
    variance_ = add_buffer(description.name + ".running_variance", at::ones({kWidth}));
  }

  at::Tensor computed(const at::Tensor& input, const models::ForwardContext& where) {
    at::Tensor output = at::addmm(bias_, input, weight_);
    if (is_head()) return output;
    output = output.tanh();
    if (normalises()) output = normalised(output, where);
    return models::Dropout(task_.options().dropout, {index_}, where)(output);
  }

  at::Tensor normalised(const at::Tensor& input, const models::ForwardContext& where) {
    if (!where.training) return (input - mean_) / (variance_ + 1e-5).sqrt() * scale_;
    const at::Tensor mean = input.mean(0);
    const at::Tensor variance = (input - mean).square().mean(0);
    if (where.update_statistics) {
      const at::NoGradGuard no_grad;
      mean_.add_(mean - mean_, kUpdate);
      variance_.add_(variance - variance_, kUpdate);
    }
    return (input - mean) / (variance + 1e-5).sqrt() * scale_;
  }

  const ChainTask& task_;
  int index_;
  at::Tensor weight_, bias_, scale_, mean_, variance_;
};

models::LayerDescription described(const ChainTask::Options& options, int index) {
  const bool head = index + 1 == options.layers;
  models::LayerDescription layer;
  layer.name = "dense." + std::to_string(index);
  layer.kind = index == 0 ? "first" : head ? "head" : "dense";
  const std::int64_t in = index == 0 ? kInputs : kWidth;
  const std::int64_t out = head ? kOutputs : kWidth;
  layer.tensors = {{layer.name + ".weight", {in, out}}, {layer.name + ".bias", {out}}};
  if (index == options.normalised) layer.tensors.push_back({layer.name + ".scale", {kWidth}});
  layer.activation = {4 * out};
  layer.output = {4 * out};
  return layer;
}

models::BatchTensors drawn_batch(int size, float target_scale, int a, int b) {
  models::BatchTensors batch;
  batch.context = drawn({size, kInputs}, 1.0, kDataSeed, a, b);
  batch.target = at::mm(batch.context, drawn({kInputs, kOutputs}, 0.5, kDataSeed, 9, 0)).tanh();
  batch.target.mul_(target_scale);
  return batch;
}

}  // namespace

ChainTask::ChainTask(Options options) : options_(std::move(options)) {
  model_.kind = "chain";
  for (int i = 0; i < options_.layers; ++i) model_.layers.push_back(described(options_, i));
}

std::vector<std::unique_ptr<models::TorchLayer>> ChainTask::build_layers(
    pipeline::LayerId first, pipeline::LayerId end) const {
  std::vector<std::unique_ptr<models::TorchLayer>> layers;
  for (auto id = first; id < end; ++id) layers.push_back(std::make_unique<Dense>(*this, id.value));
  return layers;
}

models::BatchTensors ChainTask::training_batch(std::int64_t step, int micro_batch,
                                               int micro_batches) const {
  if (options_.batch % micro_batches != 0) throw base::Error("the batch does not divide");
  const int size = options_.batch / micro_batches;
  const auto whole = drawn_batch(options_.batch, options_.target_scale, 0, static_cast<int>(step));
  const auto part = [&](const at::Tensor& t) { return t.narrow(0, micro_batch * size, size); };
  return {part(whole.context), {}, part(whole.target)};
}

at::Tensor ChainTask::loss(const at::Tensor& output, const models::BatchTensors& batch) const {
  {
    const std::lock_guard lock(mutex_);
    outputs_.push_back(output.detach().clone());
  }
  return at::mse_loss(output, batch.target);
}

int ChainTask::held_out_batches(pipeline::Split) const { return kHeldOut; }

models::BatchTensors ChainTask::held_out_batch(pipeline::Split split, int index) const {
  return drawn_batch(8, 1, split == pipeline::Split::kValidation ? 1 : 2, index);
}

double ChainTask::score(pipeline::Split split, std::span<const at::Tensor> outputs) const {
  double sum = 0;
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    const auto batch = held_out_batch(split, static_cast<int>(i));
    sum += at::mse_loss(outputs[i], batch.target).item<double>();
  }
  return -sum / static_cast<double>(outputs.size());
}

std::vector<Sighting> ChainTask::take_sightings() const {
  const std::lock_guard lock(mutex_);
  return std::exchange(sightings_, {});
}

std::vector<at::Tensor> ChainTask::take_outputs() const {
  const std::lock_guard lock(mutex_);
  return std::exchange(outputs_, {});
}

void ChainTask::note(Sighting sighting) const {
  const std::lock_guard lock(mutex_);
  sightings_.push_back(std::move(sighting));
}

}  // namespace frostline::exec
