#include "cost/long_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <cmath>
#include <limits>

#include "base/error.h"
#include "base/random.h"

namespace frostline::cost {
namespace {

using base::Duration;

constexpr Duration kLongest = Duration::max() / 2;  // 146 years
constexpr double kMostFailures = 1e7;

long double ns(Duration duration) { return static_cast<long double>(duration.count()); }

bool fails(const LongRun& run) { return std::isfinite(run.mtbf_s); }
/// In nanoseconds; 0 if it never fails.
long double failure_rate(const LongRun& run) {
  return fails(run) ? 1 / (static_cast<long double>(run.mtbf_s) * 1e9L) : 0;
}
Duration down(const LongRun& run) { return run.detection + run.restart; }

void assert_sound([[maybe_unused]] const LongRun& run) {
  assert(run.work > Duration::zero() && run.interval > Duration::zero() && run.mtbf_s > 0);
  assert(run.checkpoint >= Duration::zero() && down(run) >= Duration::zero());
  assert(run.work < kLongest && run.checkpoint < kLongest && down(run) < kLongest);
}

/// (e^(Lt) - 1) / L.
long double uninterrupted(long double rate, long double time) {
  return rate == 0 ? time : std::expm1(rate * time) / rate;
}

/// The mean in nanoseconds, maybe infinite.
long double expected_ns(const LongRun& run) {
  const long double rate = failure_rate(run);
  const auto full = run.work / run.interval;
  const Duration rest = run.work % run.interval;
  long double sum =
      static_cast<long double>(full) * uninterrupted(rate, ns(run.interval) + ns(run.checkpoint));
  if (rest > Duration::zero()) sum += uninterrupted(rate, ns(rest) + ns(run.checkpoint));
  return std::exp(rate * ns(down(run))) * sum;
}

[[noreturn]] void refuse(const LongRun& run, const std::string& what) {
  throw base::Error(fmt::format(
      "{} with a failure every {:.4g} s, a checkpoint every {} and {} until the run goes on; use a "
      "larger cluster.failure_mtbf_h, fewer devices, more frequent or cheaper checkpoints, or less "
      "work",
      what, run.mtbf_s, base::to_text(run.interval), base::to_text(down(run))));
}

/// Goes through a run from failure to failure: how far it gets until the next follows from the time
/// alone.
class Walk {
 public:
  Walk(const LongRun& run, std::uint64_t seed, std::uint32_t index)
      : run_(run), stream_(seed, base::Purpose::kFailures, index), left_(run.work) {}

  DrawnRun go() {
    while (true) {
      const long double until_failure = draw();
      const long double needed = time_left();
      if (until_failure >= needed) {
        pass(needed);
        break;
      }
      pass(until_failure);
      fail(until_failure);
    }
    drawn_.time = Duration(std::llround(time_));
    return drawn_;
  }

 private:
  long double draw() {
    if (!fails(run_)) return std::numeric_limits<long double>::infinity();
    return -std::log1p(-static_cast<long double>(stream_.uniform())) / failure_rate(run_);
  }

  /// Until the end, without failures.
  long double time_left() const {
    const auto segments = (left_ + run_.interval - Duration(1)) / run_.interval;
    return ns(left_) + static_cast<long double>(segments) * ns(run_.checkpoint);
  }

  void pass(long double time) {
    time_ += time;
    if (time_ < ns(kLongest)) return;
    refuse(run_, "a drawn run takes more than 146 years");
  }

  void fail(long double computed) {
    const long double segment = ns(run_.interval) + ns(run_.checkpoint);
    const long double whole = std::floor(computed / segment);
    left_ -= static_cast<std::int64_t>(whole) * run_.interval;
    const Duration lost(std::llround(computed - whole * segment));
    drawn_.lost_work += std::min({lost, run_.interval, left_});
    ++drawn_.failures;
    const long double needed = ns(down(run_));
    long double until_failure = draw();
    for (; until_failure < needed; until_failure = draw()) {
      pass(until_failure);
      ++drawn_.failures;
    }
    pass(needed);
  }

  const LongRun& run_;
  base::RandomStream stream_;
  Duration left_;  ///< work after the last checkpoint
  long double time_ = 0;
  DrawnRun drawn_;
};

/// -x - log(1 - x) without cancellation.
long double log_excess(long double x) {
  if (x > 1e-3L) return -x - std::log1p(-x);
  return x * x * (0.5L + x * (1 / 3.0L + x * (0.25L + x * (0.2L + x / 6))));
}

/// The interval for work without end. The mean a unit of work, (e^(L(t + c)) - 1) / t, has its
/// minimum where (1 - Lt) e^(L(t + c)) = 1, that is where log_excess(Lt) = Lc; with
/// log_excess(x) = x^2/2 it is Young's.
long double endless_interval(long double rate, long double checkpoint) {
  long double low = 0;
  long double high = 1;
  for (int halving = 0; halving < 200; ++halving) {
    const long double middle = (low + high) / 2;
    (log_excess(middle) < rate * checkpoint ? low : high) = middle;
  }
  return high / rate;
}

/// The interval that makes so many segments.
Duration equal_segments(Duration work, Duration::rep segments) {
  return (work + Duration(segments - 1)) / segments;
}

}  // namespace

double job_mtbf_s(const ClusterSettings& settings, std::int64_t devices) {
  assert(devices > 0);
  if (settings.failure_mtbf_h == 0) return std::numeric_limits<double>::infinity();
  return settings.failure_mtbf_h * 3600 / static_cast<double>(devices);
}

Duration expected_time(const LongRun& run) {
  assert_sound(run);
  const long double expected = expected_ns(run);
  if (!(expected < ns(kLongest))) {
    refuse(run, fmt::format("{} of work take more than 146 years", base::to_text(run.work)));
  }
  return Duration(std::llround(expected));
}

double goodput(const LongRun& run) {
  return static_cast<double>(ns(run.work) / ns(expected_time(run)));
}

DrawnRun draw_time(const LongRun& run, std::uint64_t seed, std::uint32_t index) {
  const double failures = base::to_seconds(expected_time(run)) / run.mtbf_s;
  if (failures > kMostFailures) {
    refuse(run, fmt::format("{:.4g} failures are too many to draw one by one", failures));
  }
  return Walk(run, seed, index).go();
}

std::optional<Duration> best_interval(const LongRun& run) {
  assert_sound(run);
  if (!fails(run)) return run.work;
  if (run.checkpoint == Duration::zero()) return std::nullopt;
  const long double endless = endless_interval(failure_rate(run), ns(run.checkpoint));
  const auto most = static_cast<long double>(run.work.count());
  const auto fewer = static_cast<Duration::rep>(std::clamp(ns(run.work) / endless, 1.0L, most));
  LongRun longer = run;
  LongRun shorter = run;
  longer.interval = equal_segments(run.work, fewer);
  shorter.interval = equal_segments(run.work, std::min(fewer + 1, run.work.count()));
  return expected_ns(longer) <= expected_ns(shorter) ? longer.interval : shorter.interval;
}

}  // namespace frostline::cost
