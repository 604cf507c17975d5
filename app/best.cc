#include "app/best.h"

#include <algorithm>
#include <cmath>

namespace frostline::app {
namespace {

/// What sums and quotients of equal times may differ by.
constexpr double kRounding = 1e-12;

}  // namespace

std::vector<bool> lowest(const std::vector<std::optional<double>>& values) {
  std::optional<double> least;
  for (const auto& value : values)
    if (value) least = std::min(least.value_or(*value), *value);
  std::vector<bool> marked;
  for (const auto& value : values)
    marked.push_back(value && *value - *least <= kRounding * std::abs(*least));
  const auto present = std::count_if(values.begin(), values.end(),
                                     [](const auto& value) { return value.has_value(); });
  if (std::count(marked.begin(), marked.end(), true) == present)
    marked.assign(values.size(), false);
  return marked;
}

}  // namespace frostline::app
