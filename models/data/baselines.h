#pragma once

#include <string>
#include <vector>

#include "models/data/load_windows.h"

namespace frostline::models {

/// What needs no neural network, on the same windows.
struct BaselineScore {
  std::string name;  ///< "same hour yesterday", "same hour last week", "ridge"
  double mape = 0;   ///< percent
};

/// The usual baselines on one held-out part: same hour yesterday, same hour last week, and ridge
/// regression from the context to the horizon, one for all series, fitted on the training windows (penalty chosen on the validation windows).
std::vector<BaselineScore> baseline_scores(const LoadWindows& windows, pipeline::Split split);

}  // namespace frostline::models
