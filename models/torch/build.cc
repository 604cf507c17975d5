#include "models/torch/build.h"

#include <ATen/ops/mse_loss.h>

#include <cassert>

#include "models/describe.h"
#include "models/torch/forecaster.h"

namespace frostline::models {

std::vector<std::unique_ptr<TorchLayer>> build_layers(const ModelSettings& model,
                                                      const DataSettings& data, std::uint64_t seed,
                                                      pipeline::LayerId first,
                                                      pipeline::LayerId end) {
  const ModelDescription description = describe_model(model, data);
  assert(end.index() <= description.layers.size());
  std::vector<std::unique_ptr<TorchLayer>> layers;
  for (pipeline::LayerId layer = first; layer < end; ++layer) {
    layers.push_back(
        build_forecaster_layer(model, description.layers[layer.index()], {seed, layer}));
  }
  return layers;
}

at::Tensor forecast_loss(const at::Tensor& output, const BatchTensors& batch) {
  return at::mse_loss(output, batch.target);
}

}  // namespace frostline::models
