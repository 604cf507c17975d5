#include "models/torch/forecast_task.h"

#include <fmt/format.h>

#include <algorithm>
#include <mutex>
#include <utility>

#include "base/error.h"
#include "base/safetensors.h"
#include "models/data/forecast_error.h"
#include "models/forecaster.h"
#include "models/torch/batch.h"
#include "models/torch/build.h"
#include "models/torch/weights.h"

namespace frostline::models {
namespace {

constexpr int kHeldOutBatch = 64;  // windows

class ForecastTask : public LearningTask {
 public:
  ForecastTask(const ModelSettings& model, const DataSettings& data, std::uint64_t seed, int batch)
      : settings_(model),
        data_settings_(data),
        seed_(seed),
        batch_(batch),
        model_(describe_forecaster(model, data)),
        windows_(LoadWindows::load(data)),
        sampler_(seed, checked_samples(), batch) {
    if (!model.weights.empty()) load_weights();
  }

  const ModelDescription& model() const override { return model_; }
  std::vector<std::unique_ptr<TorchLayer>> build_layers(pipeline::LayerId first,
                                                        pipeline::LayerId end) const override;
  BatchTensors training_batch(std::int64_t step, int micro_batch, int micro_batches) const override;
  at::Tensor loss(const at::Tensor& output, const BatchTensors& batch) const override {
    return forecast_loss(output, batch);
  }

  int held_out_batches(pipeline::Split split) const override;
  BatchTensors held_out_batch(pipeline::Split split, int index) const override;
  double score(pipeline::Split split, std::span<const at::Tensor> outputs) const override;
  pipeline::Measure measure() const override { return {"MAPE", "%", true}; }

 private:
  int checked_samples() const;
  void load_weights();
  BatchTensors batch_of(std::span<const Window> windows) const {
    return make_batch(windows_, windows, static_cast<int>(settings_.patch));
  }
  std::vector<std::uint32_t> samples_of(std::int64_t step) const;
  std::span<const Window> held_out_windows(pipeline::Split split, int index) const;
  void add_errors(std::span<const Window> windows, const at::Tensor& output,
                  MeanAbsolutePercentageError& error) const;

  ModelSettings settings_;
  DataSettings data_settings_;
  std::uint64_t seed_;
  int batch_;
  ModelDescription model_;
  LoadWindows windows_;
  base::TensorFile weights_;  // empty: drawn from the seed
  mutable std::mutex mutex_;  // guards the sampler, which remembers an epoch's order
  mutable BatchSampler sampler_;
};

int ForecastTask::checked_samples() const {
  const auto samples = static_cast<int>(windows_.training().size());
  if (batch_ >= 1 && batch_ <= samples) return samples;
  throw base::Error(
      fmt::format("train.batch = {} is not possible with {} training windows; use 1 to {}", batch_,
                  samples, samples));
}

/// Every layer is built once, so that a wrong file is found before training begins.
void ForecastTask::load_weights() {
  weights_ = base::read_safetensors(settings_.weights);
  for (const auto layer : base::ids<pipeline::LayerId>(static_cast<int>(model_.layers.size()))) {
    build_layers(layer, layer.next());
  }
}

std::vector<std::unique_ptr<TorchLayer>> ForecastTask::build_layers(pipeline::LayerId first,
                                                                    pipeline::LayerId end) const {
  auto layers = models::build_layers(settings_, data_settings_, seed_, first, end);
  if (settings_.weights.empty()) return layers;
  for (auto& layer : layers) load_layer(*layer, weights_, settings_.weights.string());
  return layers;
}

BatchTensors ForecastTask::training_batch(std::int64_t step, int micro_batch,
                                          int micro_batches) const {
  if (batch_ % micro_batches != 0) {
    throw base::Error(
        fmt::format("train.batch = {} does not divide into {} micro-batches of equal size; use a "
                    "multiple of {}",
                    batch_, micro_batches, micro_batches));
  }
  const auto samples = samples_of(step);
  const int size = batch_ / micro_batches;
  std::vector<Window> windows;
  for (int i = micro_batch * size; i < (micro_batch + 1) * size; ++i) {
    windows.push_back(windows_.training()[samples[static_cast<std::size_t>(i)]]);
  }
  return batch_of(windows);
}

std::vector<std::uint32_t> ForecastTask::samples_of(std::int64_t step) const {
  const std::lock_guard lock(mutex_);
  return sampler_.batch_of(step);
}

int ForecastTask::held_out_batches(pipeline::Split split) const {
  const auto windows = static_cast<int>(windows_.held_out(split).size());
  return (windows + kHeldOutBatch - 1) / kHeldOutBatch;
}

BatchTensors ForecastTask::held_out_batch(pipeline::Split split, int index) const {
  return batch_of(held_out_windows(split, index));
}

std::span<const Window> ForecastTask::held_out_windows(pipeline::Split split, int index) const {
  const auto windows = windows_.held_out(split);
  const auto first = static_cast<std::size_t>(index) * kHeldOutBatch;
  return windows.subspan(first, std::min<std::size_t>(kHeldOutBatch, windows.size() - first));
}

double ForecastTask::score(pipeline::Split split, std::span<const at::Tensor> outputs) const {
  MeanAbsolutePercentageError error;
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    add_errors(held_out_windows(split, static_cast<int>(i)), outputs[i], error);
  }
  return -error.percent();
}

/// `output` [windows, horizon] is normalised; errors are taken in MW.
void ForecastTask::add_errors(std::span<const Window> windows, const at::Tensor& output,
                              MeanAbsolutePercentageError& error) const {
  const at::Tensor normalised = output.contiguous();
  const float* value = normalised.const_data_ptr<float>();
  std::vector<double> forecast(static_cast<std::size_t>(windows_.horizon()));
  for (const Window& window : windows) {
    const double mean = windows_.mean(window.series);
    const double deviation = windows_.deviation(window.series);
    for (double& hour : forecast) hour = mean + deviation * static_cast<double>(*value++);
    error.add(forecast, windows_.target_of(window));
  }
}

}  // namespace

std::unique_ptr<LearningTask> make_forecast_task(const ModelSettings& model,
                                                 const DataSettings& data, std::uint64_t seed,
                                                 int batch) {
  return std::make_unique<ForecastTask>(model, data, seed, batch);
}

}  // namespace frostline::models
