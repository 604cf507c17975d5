#pragma once

#include <optional>
#include <vector>

namespace frostline::app {

/// Which of the values are the lowest: all that equal it but for rounding; none if there is nothing
/// to choose, because fewer than two are present or all of those are equal.
std::vector<bool> lowest(const std::vector<std::optional<double>>& values);

}  // namespace frostline::app
