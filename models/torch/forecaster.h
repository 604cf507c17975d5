#pragma once

#include <memory>

#include "models/layer_description.h"
#include "models/settings.h"
#include "models/torch/initial.h"
#include "models/torch/layer.h"

namespace frostline::models {

/// The module of one layer of describe_forecaster, with the tensors that its description lists.
std::unique_ptr<TorchLayer> build_forecaster_layer(const ModelSettings& model,
                                                   const LayerDescription& description,
                                                   const InitialDraw& draw);

}  // namespace frostline::models
