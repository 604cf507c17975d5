#pragma once

#include <memory>

#include "models/data/load_windows.h"
#include "models/torch/learning_task.h"

namespace frostline::models {

/// Forecasting load: the forecaster on LoadWindows, scored by the negated MAPE in MW. `batch`
/// samples a step. Throws base::Error for data or starting weights that are missing or broken.
std::unique_ptr<LearningTask> make_forecast_task(const ModelSettings& model,
                                                 const DataSettings& data, std::uint64_t seed,
                                                 int batch);

}  // namespace frostline::models
