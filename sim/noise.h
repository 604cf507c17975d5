#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "base/time.h"
#include "cost/cluster_settings.h"
#include "pipeline/action.h"

namespace frostline::sim {

/// What makes a computation take longer or shorter than its cost: stragglers, devices that are slow
/// for a time, and jitter, a log-normal factor of median 1 for each computation.
class Noise {
 public:
  /// None.
  Noise() = default;
  /// For settings that check_cluster passed.
  Noise(const cost::ClusterSettings& settings, std::uint64_t seed);

  bool none() const { return jitter_ == 0 && slow_.empty(); }

  /// What a computation of `duration` takes that starts at `start` on the run's clock. `step`
  /// counts a run's optimizer steps; of an overlapped pair `computation` is the first.
  ///
  /// While a device is slow, work is done at 1/factor of its pace; factors of stragglers that
  /// overlap multiply. The jitter is a function of seed, step, device and computation alone, so it
  /// does not depend on the order of events. The result is rounded up once to the nanosecond; what
  /// ends after 146 years on the clock ends then, or takes `duration` if that is longer.
  base::Duration stretched(int device, base::Duration start, base::Duration duration,
                           std::int64_t step, const pipeline::Step& computation) const;

 private:
  /// From an instant on, until the next pace's.
  struct Pace {
    base::Duration from{};
    long double factor = 1;
  };

  static std::vector<Pace> paces(const cost::ClusterSettings& settings, std::int64_t device);
  long double jitter_factor(int device, std::int64_t step, const pipeline::Step& computation) const;
  long double slowed(int device, base::Duration start, long double work) const;

  double jitter_ = 0;
  std::uint64_t seed_ = 0;
  std::map<std::int64_t, std::vector<Pace>> slow_;  ///< of each straggler, in order of time
};

}  // namespace frostline::sim
