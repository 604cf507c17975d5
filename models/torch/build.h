#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "models/settings.h"
#include "models/torch/layer.h"
#include "pipeline/action.h"

namespace frostline::models {

/// The modules of layers first .. end - 1 of what [model] names; initial values depend on seed and
/// layer alone, so any number of ranks starts from the same weights. (They are drawn even if
/// model.weights names a file: what the file holds is set afterwards, by load_layer.)
std::vector<std::unique_ptr<TorchLayer>> build_layers(const ModelSettings& model,
                                                      const DataSettings& data, std::uint64_t seed,
                                                      pipeline::LayerId first,
                                                      pipeline::LayerId end);

/// Mean loss over the micro-batch, a scalar: squared error of the normalised forecast [B, H].
at::Tensor forecast_loss(const at::Tensor& output, const BatchTensors& batch);

}  // namespace frostline::models
