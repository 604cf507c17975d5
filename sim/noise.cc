#include "sim/noise.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <set>

#include "base/random.h"

namespace frostline::sim {
namespace {

using base::Duration;
using Settings = cost::ClusterSettings;

constexpr Duration kEndOfClock = Duration::max() / 2;  // 146 years

Duration instant(double seconds) {
  return Duration(std::llround(static_cast<long double>(seconds) * 1e9L));
}

Duration slow_from(const Settings& settings, std::size_t straggler) {
  const auto& times = settings.straggler_from_s;
  return times.empty() ? Duration::zero() : instant(times.at(straggler));
}

Duration slow_until(const Settings& settings, std::size_t straggler) {
  const auto& times = settings.straggler_until_s;
  return times.empty() ? Duration::max() : instant(times.at(straggler));
}

/// A factor such as 1.1 is no binary number, so what should be a whole number may come out a hair
/// above it, which is not rounded up.
long double rounded_up(long double nanoseconds) {
  const long double tolerance = std::min(nanoseconds * 0x1p-50L, 1e-3L);
  const long double nearest = std::round(nanoseconds);
  return std::abs(nanoseconds - nearest) <= tolerance ? nearest : std::ceil(nanoseconds);
}

/// `nanoseconds`, which may be infinite, as far as the clock goes.
Duration on_clock(long double nanoseconds, Duration start, Duration duration) {
  const Duration longest = std::max(kEndOfClock - start, duration);
  const long double up = rounded_up(nanoseconds);
  if (!(up < static_cast<long double>(longest.count()))) return longest;
  return Duration(static_cast<Duration::rep>(up));
}

}  // namespace

Noise::Noise(const Settings& settings, std::uint64_t seed) : jitter_(settings.jitter), seed_(seed) {
  for (const std::int64_t device : settings.straggler_devices) {
    if (!slow_.contains(device)) slow_.emplace(device, paces(settings, device));
  }
}

std::vector<Noise::Pace> Noise::paces(const Settings& settings, std::int64_t device) {
  const std::size_t count = settings.straggler_devices.size();
  std::set<Duration> changes;
  for (std::size_t i = 0; i < count; ++i) {
    if (settings.straggler_devices[i] != device) continue;
    changes.insert({slow_from(settings, i), slow_until(settings, i)});
  }
  changes.erase(Duration::max());
  std::vector<Pace> paces;
  for (const Duration from : changes) {
    Pace pace{from, 1};
    for (std::size_t i = 0; i < count; ++i) {
      const bool slow = settings.straggler_devices[i] == device && slow_from(settings, i) <= from &&
                        from < slow_until(settings, i);
      if (slow) pace.factor *= static_cast<long double>(settings.straggler_factors.at(i));
    }
    paces.push_back(pace);
  }
  return paces;
}

Duration Noise::stretched(int device, Duration start, Duration duration, std::int64_t step,
                          const pipeline::Step& computation) const {
  assert(pipeline::is_computation(computation.kind));
  assert(start >= Duration::zero() && duration >= Duration::zero());
  if (none() || duration == Duration::zero()) return duration;
  const long double work =
      static_cast<long double>(duration.count()) * jitter_factor(device, step, computation);
  return on_clock(slowed(device, start, work), start, duration);
}

/// Seed, step and device give the key of a stream, of which the computation takes its own part.
long double Noise::jitter_factor(int device, std::int64_t step,
                                 const pipeline::Step& computation) const {
  if (jitter_ == 0) return 1;
  const auto numbers = static_cast<std::uint64_t>(step);
  const auto block = base::philox(
      {static_cast<std::uint32_t>(device), static_cast<std::uint32_t>(base::Purpose::kJitter),
       static_cast<std::uint32_t>(numbers), static_cast<std::uint32_t>(numbers >> 32U)},
      {static_cast<std::uint32_t>(seed_), static_cast<std::uint32_t>(seed_ >> 32U)});
  const std::uint64_t key = block[0] | std::uint64_t{block[1]} << 32U;
  static_assert(pipeline::Action::kMostStages <= 1 << 16);
  const auto stage = static_cast<std::uint32_t>(computation.stage.value);
  const auto kind = static_cast<std::uint32_t>(computation.kind);
  const auto micro_batch = static_cast<std::uint32_t>(computation.micro_batch.value().value);
  base::RandomStream stream(key, base::Purpose::kJitter, stage | kind << 16U, micro_batch);
  return std::exp(static_cast<long double>(jitter_) * stream.normal());
}

/// `work` is what is left of it at pace 1; each pace does its part until the next one begins.
long double Noise::slowed(int device, Duration start, long double work) const {
  const auto own = slow_.find(device);
  if (own == slow_.end()) return work;
  const auto& paces = own->second;
  auto next = std::upper_bound(paces.begin(), paces.end(), start,
                               [](Duration at, const Pace& pace) { return at < pace.from; });
  long double factor = next == paces.begin() ? 1 : std::prev(next)->factor;
  Duration now = start;
  long double taken = 0;
  for (; next != paces.end(); ++next) {
    const auto piece = static_cast<long double>((next->from - now).count());
    if (work * factor <= piece) break;
    work -= piece / factor;
    taken += piece;
    now = next->from;
    factor = next->factor;
  }
  return taken + work * factor;
}

}  // namespace frostline::sim
