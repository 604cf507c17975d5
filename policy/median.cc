#include "policy/median.h"

#include <algorithm>
#include <cassert>

namespace frostline::policy {
namespace {

/// Of `count` ascending values, of which `at(i)` is the i-th.
template <class At>
double middle(std::size_t count, At at) {
  assert(count > 0);
  const std::size_t half = count / 2;
  return count % 2 == 1 ? at(half) : (at(half - 1) + at(half)) / 2;
}

}  // namespace

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return middle(values.size(), [&](std::size_t i) { return values[i]; });
}

double median_without(std::span<const double> sorted, std::size_t left_out) {
  return middle(sorted.size() - 1, [&](std::size_t i) { return sorted[i < left_out ? i : i + 1]; });
}

}  // namespace frostline::policy
