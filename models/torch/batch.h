#pragma once

#include <span>

#include "models/data/load_windows.h"
#include "models/torch/layer.h"

namespace frostline::models {

/// The tensors of some windows, on the CPU. `patch` is the number of hours in one token. A token's
/// calendar features are those of its first hour: sine and cosine of the hour of day, then of the
/// day of week. Hour h of a series is hour h mod 24 of day h / 24, and day 0 starts a week.
BatchTensors make_batch(const LoadWindows& data, std::span<const Window> windows, int patch);

}  // namespace frostline::models
