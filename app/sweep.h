#pragma once

#include <cstdint>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "app/run_observer.h"
#include "app/sweep_order.h"

namespace frostline::app {

/// One scenario, with some of its keys varied.
struct SweepOrder {
  std::filesystem::path scenario;
  std::vector<std::string> set;
  std::optional<std::int64_t> seed;
  std::vector<Variation> variations;
};

/// What came of one combination.
struct Combination {
  std::vector<std::string> values;  ///< one a variation
  nlohmann::json summary;           ///< of its simulated run; null if it did not run to its end
  std::string reason;               ///< why not
};

struct Sweep {
  std::vector<Variation> variations;
  std::vector<Combination> combinations;  ///< in the order of `combinations(variations)`
  bool interrupted = false;
};

/// Simulates every combination, `jobs` at a time; what comes of one depends on no other, nor on
/// `jobs`. A combination that cannot run does not stop the others; an interruption leaves out what
/// is not done yet. Throws base::InvalidInput before the first one if a key is unknown or may never
/// have one of its values, and base::Error if there is no such scenario file.
Sweep run_sweep(const SweepOrder& order, int jobs, Supervision supervision);

}  // namespace frostline::app
