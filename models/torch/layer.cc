#include "models/torch/layer.h"

#include <utility>

namespace frostline::models {

at::Tensor TorchLayer::add_parameter(std::string name, at::Tensor value) {
  value.set_requires_grad(true);
  return parameters_.emplace_back(std::move(name), std::move(value)).second;
}

at::Tensor TorchLayer::add_buffer(std::string name, at::Tensor value) {
  return buffers_.emplace_back(std::move(name), std::move(value)).second;
}

}  // namespace frostline::models
