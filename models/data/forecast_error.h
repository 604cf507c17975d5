#pragma once

#include <span>

namespace frostline::models {

/// Mean absolute percentage error, in percent, over all values of all forecasts given to it.
class MeanAbsolutePercentageError {
 public:
  void add(std::span<const double> forecast, std::span<const double> target);
  double percent() const;  ///< NaN before anything was added

 private:
  double sum_ = 0;
  long count_ = 0;
};

}  // namespace frostline::models
