#include "pipeline/budget.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace frostline::pipeline {
namespace {

/// A limit of nothing is used up from the start.
double part(std::int64_t used, std::int64_t limit) {
  if (limit <= 0) return 1.0;
  return std::clamp(static_cast<double>(used) / static_cast<double>(limit), 0.0, 1.0);
}

/// From 1 at the start to 0 at the end.
double fall(LearningRateRule::Shape shape, double progress) {
  switch (shape) {
    case LearningRateRule::Shape::kConstant:
      return 1.0;
    case LearningRateRule::Shape::kLinear:
      return 1.0 - progress;
    case LearningRateRule::Shape::kCosine:
      return (1.0 + std::cos(std::numbers::pi * progress)) / 2;
  }
  return 1.0;
}

}  // namespace

double Budget::share() const {
  if (kind == Kind::kSteps) return part(used_steps, steps);
  return part(used_time.count(), time.count());
}

double LearningRateRule::at(double share) const {
  share = std::clamp(share, 0.0, 1.0);
  if (share < warm_up) return peak * share / warm_up;
  const double progress = warm_up < 1.0 ? (share - warm_up) / (1.0 - warm_up) : 0.0;
  return peak * (final_share + (1.0 - final_share) * fall(shape, progress));
}

}  // namespace frostline::pipeline
