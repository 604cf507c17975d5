#pragma once

#include "models/layer_description.h"
#include "models/settings.h"

namespace frostline::models {

/// Numbers that tell a token when its first hour is: sine and cosine of hour of day and day of
/// week.
inline constexpr std::int64_t kCalendarFeatures = 4;

/// A transformer that forecasts a load series, with a linear path from input to output beside it.
/// Layers, with T = context / patch tokens:
///  * "embedding": a linear map of each patch of hours and its calendar features, plus a learned
///    position;
///  * "blocks.0" ...: pre-norm attention over all tokens (no mask) and MLP, each added to its
///  input;
///  * "head": normalises and maps all tokens at once to the horizon, and adds a linear map of the
///    context.
/// Both paths see the context less its own mean, and the mean is added to the forecast again: what
/// is learned is the shape of the load, not its level. FLOPs and bytes are those of LibTorch's
/// kernels on the CPU, attention's fused one included.
ModelDescription describe_forecaster(const ModelSettings& model, const DataSettings& data);

}  // namespace frostline::models
