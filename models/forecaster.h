#pragma once

#include "models/layer_description.h"
#include "models/settings.h"

namespace frostline::models {

/// A transformer that forecasts a load series, with a linear path from input to output beside it:
/// an embedding of patches of hours, pre-norm blocks with full attention (no mask), and a head that maps
/// all tokens to the horizon and adds the linear path and the last observed week's pattern.
ModelDescription describe_forecaster(const ModelSettings& model, const DataSettings& data);

/// The description of whatever [model] names. Requires a kind that is not "".
ModelDescription describe_model(const ModelSettings& model, const DataSettings& data);

}  // namespace frostline::models
