#pragma once

#include "models/layer_description.h"
#include "models/settings.h"

namespace frostline::models {

/// The description of whatever [model] names. Requires a kind that is not "".
ModelDescription describe_model(const ModelSettings& model, const DataSettings& data);

}  // namespace frostline::models
