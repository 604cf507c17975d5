#pragma once

#include <span>

#include "models/data/load_windows.h"
#include "models/torch/layer.h"

namespace frostline::models {

/// The tensors of some windows. `patch` is the number of hours in one token.
BatchTensors make_batch(const LoadWindows& data, std::span<const Window> windows, int patch);

}  // namespace frostline::models
