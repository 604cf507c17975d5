#pragma once

#include <functional>
#include <mutex>
#include <string>
#include <vector>

#include "models/torch/learning_task.h"

namespace frostline::exec {

/// What a layer saw in one forward.
struct Sighting {
  int layer = 0;
  models::ForwardContext where;
  bool input_requires_grad = false;
  bool output_requires_grad = false;
  bool saw_batch = false;
};

/// A task small enough to check by hand and by an unpipelined model: a chain of layers "dense.0",
/// "dense.1", ..., each tanh(x W + b) with dropout, some followed by a normalisation with running
/// statistics, and a linear head. It records what its layers see. Any thread may call anything.
class ChainTask : public models::LearningTask {
 public:
  struct Options {
    int layers = 6;       ///< the head included
    int normalised = -1;  ///< the layer that normalises its output over the batch; -1: none
    double dropout = 0.1;
    int batch = 24;
    float target_scale = 1;  ///< NaN to break the loss
    /// Called in the forward of every layer, on the rank's thread.
    std::function<void(int layer, const models::ForwardContext&)> on_forward;
  };
  explicit ChainTask(Options options);

  const models::ModelDescription& model() const override { return model_; }
  std::vector<std::unique_ptr<models::TorchLayer>> build_layers(
      pipeline::LayerId first, pipeline::LayerId end) const override;
  models::BatchTensors training_batch(std::int64_t step, int micro_batch,
                                      int micro_batches) const override;
  at::Tensor loss(const at::Tensor& output, const models::BatchTensors& batch) const override;
  int held_out_batches(pipeline::Split split) const override;
  models::BatchTensors held_out_batch(pipeline::Split split, int index) const override;
  /// The negated mean squared error.
  double score(pipeline::Split split, std::span<const at::Tensor> outputs) const override;
  pipeline::Measure measure() const override { return {"error", "", true}; }

  const Options& options() const { return options_; }
  /// Everything seen since the last call.
  std::vector<Sighting> take_sightings() const;
  /// Outputs whose loss was taken since the last call, in order.
  std::vector<at::Tensor> take_outputs() const;
  void note(Sighting sighting) const;

 private:
  Options options_;
  models::ModelDescription model_;
  mutable std::mutex mutex_;
  mutable std::vector<Sighting> sightings_;
  mutable std::vector<at::Tensor> outputs_;
};

}  // namespace frostline::exec
