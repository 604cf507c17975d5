#include "exec/figure.h"

#include <algorithm>
#include <cmath>

namespace frostline::exec {

void Figure::add(const Figure& other) {
  samples_.insert(samples_.end(), other.samples_.begin(), other.samples_.end());
}

double Figure::spread() const {
  const double middle = median();
  return middle > 0 ? (quantile(0.75) - quantile(0.25)) / middle : 0.0;
}

/// Between the two nearest ranks, linearly.
double Figure::quantile(double share) const {
  if (samples_.empty()) return 0;
  std::vector<double> sorted = samples_;
  std::sort(sorted.begin(), sorted.end());
  const double place = share * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<std::size_t>(place);
  const std::size_t above = std::min(below + 1, sorted.size() - 1);
  return std::lerp(sorted[below], sorted[above], place - static_cast<double>(below));
}

}  // namespace frostline::exec
