#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace frostline::models {

/// What the layers of one micro-batch may look at beside the hidden state: every rank makes it
/// itself from the data, so inputs and labels never travel through the pipeline. Shapes: B samples,
/// C context hours, H horizon hours.
struct BatchTensors {
  at::Tensor context;   ///< [B, C] float32, normalised
  at::Tensor calendar;  ///< [B, C / patch, features] float32
  at::Tensor target;    ///< [B, H] float32, normalised
};

/// Where a forward stands, for what must not depend on ranks or threads (dropout draws by it).
struct ForwardContext {
  std::uint64_t seed = 0;
  std::int64_t step = 0;
  int micro_batch = 0;
  bool training = true;           ///< false: evaluation mode (no dropout, no statistics)
  bool update_statistics = true;  ///< false: running statistics (BatchNorm's) stand still
};

/// A layer as LibTorch computes it. Tensors live on the device of the parameters.
class TorchLayer {
 public:
  using NamedTensors = std::vector<std::pair<std::string, at::Tensor>>;

  TorchLayer() = default;
  virtual ~TorchLayer() = default;
  TorchLayer(const TorchLayer&) = delete;
  TorchLayer& operator=(const TorchLayer&) = delete;

  /// hidden: output of the layer before, [B, tokens, width]; undefined for the first layer.
  virtual at::Tensor forward(const at::Tensor& hidden, const BatchTensors& batch,
                             const ForwardContext& where) = 0;
  /// Learnable tensors under their global names, in a fixed order.
  const NamedTensors& parameters() const { return parameters_; }
  /// State that is kept but not learned (running statistics), under global names.
  const NamedTensors& buffers() const { return buffers_; }

 protected:
  /// Registers a leaf that learns; later `requires_grad` toggles as the freeze mask says. The
  /// tensor returned is the same object, not a copy.
  at::Tensor add_parameter(std::string name, at::Tensor value);
  at::Tensor add_buffer(std::string name, at::Tensor value);

 private:
  NamedTensors parameters_;
  NamedTensors buffers_;
};

}  // namespace frostline::models
