#include "models/data/forecast_error.h"

#include <cassert>
#include <cmath>

namespace frostline::models {

void MeanAbsolutePercentageError::add(std::span<const double> forecast,
                                      std::span<const double> target) {
  assert(forecast.size() == target.size());
  for (std::size_t i = 0; i < target.size(); ++i) {
    sum_ += std::abs((forecast[i] - target[i]) / target[i]);
  }
  count_ += static_cast<long>(target.size());
}

double MeanAbsolutePercentageError::percent() const {
  return 100.0 * sum_ / static_cast<double>(count_);
}

}  // namespace frostline::models
