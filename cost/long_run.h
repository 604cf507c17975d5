#pragma once

#include <cstdint>
#include <optional>

#include "base/time.h"
#include "cost/cluster_settings.h"

namespace frostline::cost {

/// A run that failures interrupt. It computes `interval`s of its work, each followed by writing a
/// checkpoint; the last may be shorter and is followed by one too. Failures of the job come at
/// random with a mean time of `mtbf_s` between them, at any time. A failure loses what was computed
/// since the last checkpoint; it is noticed after `detection`, and `restart` later the run goes on
/// from that checkpoint. A failure within that time begins it anew.
struct LongRun {
  base::Duration work{};        ///< without failures and checkpoints; positive
  base::Duration interval{};    ///< of work between two checkpoints; positive
  base::Duration checkpoint{};  ///< writing one
  base::Duration detection{};
  base::Duration restart{};  ///< with loading the checkpoint
  double mtbf_s = 0;         ///< of the whole job; infinite: it never fails
};

/// Mean time between failures of a job on so many devices: theirs over their number; infinite if
/// they never fail.
double job_mtbf_s(const ClusterSettings& settings, std::int64_t devices);

/// The exact mean of the run's time, rounded to the nearest nanosecond. With L = 1 / mtbf, a
/// segment of t = interval + checkpoint that has to pass without a failure, and r = detection +
/// restart, the mean of the segment's time T is
///
///     E = e^(Lr) (e^(Lt) - 1) / L
///
/// (Daly, "A higher order estimate of the optimum checkpoint interval for restart dumps", Future
/// Generation Computer Systems 22(3), 2006, equation 13). For a first failure at x < t, with
/// density L e^(-Lx), costs x, then the time R until r has passed without a failure, and the
/// segment begins anew: E = t e^(-Lt) + integral from 0 to t of (x + R + E) L e^(-Lx) dx = (1 -
/// e^(-Lt)) (1/L + R + E). In the same way R = (1 - e^(-Lr)) (1/L + R), which is R = (e^(Lr) - 1) /
/// L. Together E e^(-Lt) = (1 - e^(-Lt)) e^(Lr) / L.
///
/// Throws base::Error if the mean is longer than the clock shows.
base::Duration expected_time(const LongRun& run);

/// work / expected_time.
double goodput(const LongRun& run);

/// One run of that kind.
struct DrawnRun {
  base::Duration time{};
  std::int64_t failures = 0;
  base::Duration
      lost_work{};  ///< computed more than once; checkpoints, detection, restart left out

  friend bool operator==(const DrawnRun&, const DrawnRun&) = default;
};

/// The `index`-th run of a seed. Throws base::Error as expected_time does, if more than ten million
/// failures are expected, or if this one takes longer than the clock shows.
DrawnRun draw_time(const LongRun& run, std::uint64_t seed, std::uint32_t index = 0);

/// The interval of the shortest expected time, whatever run.interval is: the one that divides the
/// work into segments of equal length, as E above is convex in t, of the best number. Where the
/// work is long, near Young's sqrt(2 checkpoint mtbf). The whole work if it never fails. Nothing if
/// a checkpoint costs nothing: the more the better.
std::optional<base::Duration> best_interval(const LongRun& run);

}  // namespace frostline::cost
