#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace frostline::app {

/// One key of the scenario and the values that it shall take, as they were written.
struct Variation {
  std::string key;
  std::vector<std::string> values;

  friend bool operator==(const Variation&, const Variation&) = default;
};

/// More combinations are a mistake rather than a wish.
inline constexpr std::size_t kMostCombinations = 100'000;

/// "pipeline.schedule=gpipe,1f1b", "cost.forward_ms=[1, 2],[2, 1]": commas within quotes and
/// brackets belong to a value. Throws base::InvalidInput if it is malformed or a value is empty or
/// stands there twice.
Variation parse_variation(std::string_view text);

/// All of a sweep's. Throws base::InvalidInput, also for a key that is varied twice and for more
/// than kMostCombinations.
std::vector<Variation> parse_variations(const std::vector<std::string>& texts);

/// The values of each combination, one a variation; the last variation changes fastest.
std::vector<std::vector<std::string>> combinations(const std::vector<Variation>& variations);

}  // namespace frostline::app
