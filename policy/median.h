#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace frostline::policy {

/// The middle value; of an even number, the mean of the two in the middle. At least one value.
double median(std::vector<double> values);

/// The median of all but the one at `left_out`. `sorted` ascends and holds at least two values.
double median_without(std::span<const double> sorted, std::size_t left_out);

}  // namespace frostline::policy
