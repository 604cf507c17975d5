#pragma once

#include <ATen/core/Tensor.h>
#include <ATen/core/grad_mode.h>

#include <memory>
#include <vector>

#include "models/data/load_windows.h"
#include "models/describe.h"
#include "models/torch/batch.h"
#include "models/torch/build.h"

namespace frostline::models {

/// A forecaster small enough for many runs in a test.
inline ModelSettings small_model() {
  ModelSettings model;
  model.kind = "forecaster";
  model.blocks = 3;
  model.width = 24;
  model.heads = 3;
  model.mlp_ratio = 2;
  model.patch = 12;
  return model;
}

/// The three regions of RTS-GMLC.
inline DataSettings regions() {
  DataSettings data;
  data.file = FROSTLINE_LOAD_CSV;
  data.series = {"1", "2", "3"};
  return data;
}

using Layers = std::vector<std::unique_ptr<TorchLayer>>;

inline Layers build_all(const ModelSettings& model, const DataSettings& data,
                        std::uint64_t seed = 1) {
  return build_layers(model, data, seed, {0}, {static_cast<int>(model.blocks) + 2});
}

inline at::Tensor forward(const Layers& layers, const BatchTensors& batch,
                          const ForwardContext& where = {}) {
  at::Tensor hidden;
  for (const auto& layer : layers) hidden = layer->forward(hidden, batch, where);
  return hidden;
}

inline void set_requires_grad(const TorchLayer& layer, bool learns) {
  for (const auto& [name, tensor] : layer.parameters()) tensor.set_requires_grad(learns);
}

}  // namespace frostline::models
