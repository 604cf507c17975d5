#pragma once

#include <ATen/core/Tensor.h>

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "models/torch/layer.h"
#include "policy/train_settings.h"

namespace frostline::exec {

/// Steps the parameters of one rank. A parameter without a gradient (undefined) is untouched: no decay, no momentum, no step
/// count. Its state is made at its first step and known by the parameter's global name.
class Optimizer {
 public:
  virtual ~Optimizer() = default;
  /// Steps every parameter whose gradient is defined.
  virtual void step(const models::TorchLayer::NamedTensors& parameters, double learning_rate) = 0;
  /// Bytes of state held.
  virtual std::int64_t state_bytes() const = 0;

  using Visitor = std::function<void(const std::string& name, at::Tensor& tensor)>;
  /// Every state tensor under a global name, "optimizer.first_moment.blocks.3.mlp.up.weight", for checkpoints.
  virtual void visit(const Visitor& visitor) = 0;
  /// Restores one that `visit` named. Returns false if the name is not the optimizer's or not of these parameters.
  virtual bool restore(const std::string& name, const at::Tensor& value) = 0;
};

/// SGD with momentum, Adam or AdamW, as [train] says.
std::unique_ptr<Optimizer> make_optimizer(const policy::TrainSettings& settings);

}  // namespace frostline::exec
