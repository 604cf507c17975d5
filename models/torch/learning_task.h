#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "models/layer_description.h"
#include "models/torch/layer.h"
#include "pipeline/world.h"

namespace frostline::models {

/// What is learned: a model, the data it learns from, its loss and its score. Const and shared by
/// all rank threads at once. Batches are made where they are needed and never travel: the first and
/// the last layer of the model see them, the layers between do not.
class LearningTask {
 public:
  virtual ~LearningTask() = default;

  virtual const ModelDescription& model() const = 0;
  /// Fresh modules of layers first .. end - 1, with their starting weights.
  virtual std::vector<std::unique_ptr<TorchLayer>> build_layers(pipeline::LayerId first,
                                                                pipeline::LayerId end) const = 0;
  /// One of the `micro_batches` equal parts of the batch of a step (steps count from 0).
  virtual BatchTensors training_batch(std::int64_t step, int micro_batch,
                                      int micro_batches) const = 0;
  /// Mean over the micro-batch, a scalar.
  virtual at::Tensor loss(const at::Tensor& output, const BatchTensors& batch) const = 0;

  virtual int held_out_batches(pipeline::Split split) const = 0;
  virtual BatchTensors held_out_batch(pipeline::Split split, int index) const = 0;
  /// The score (higher is better) of the model's outputs for all held-out batches, in order.
  virtual double score(pipeline::Split split, std::span<const at::Tensor> outputs) const = 0;
  virtual pipeline::Measure measure() const = 0;
};

}  // namespace frostline::models
