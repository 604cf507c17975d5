#include "base/time.h"

#include <fmt/format.h>

#include <cmath>
#include <stdexcept>

namespace frostline::base {
namespace {

struct Unit {
  Duration::rep nanoseconds;
  const char* name;
};

constexpr Unit kUnits[] = {{1, "ns"}, {1'000, "us"}, {1'000'000, "ms"}, {1'000'000'000, "s"}};

/// With four significant digits, in the smallest unit in which that stays below 1000 (60 seconds).
std::string short_text(Duration duration) {
  const auto count = static_cast<double>(duration.count());
  for (const Unit& unit : kUnits) {
    const double amount = count / static_cast<double>(unit.nanoseconds);
    if (amount < 999.95) return fmt::format("{:.4g} {}", amount, unit.name);
  }
  return fmt::format("{:.4g} s", to_seconds(duration));
}

std::string long_text(Duration duration) {
  const auto seconds = std::chrono::round<std::chrono::seconds>(duration).count();
  if (seconds < 3600) return fmt::format("{} min {} s", seconds / 60, seconds % 60);
  const auto minutes = std::chrono::round<std::chrono::minutes>(duration).count();
  return fmt::format("{} h {} min", minutes / 60, minutes % 60);
}

}  // namespace

Duration from_ms(double ms) {
  if (!(ms >= 0 && ms < kLongestMs)) {
    throw std::domain_error(fmt::format(
        "{} ms is no duration; use a finite number, at least 0 and below {}", ms, kLongestMs));
  }
  // A product in `double` could round to a half that is not one.
  return Duration(std::llround(static_cast<long double>(ms) * 1e6L));
}

double to_ms(Duration duration) { return static_cast<double>(duration.count()) / 1e6; }

double to_seconds(Duration duration) { return static_cast<double>(duration.count()) / 1e9; }

std::string to_text(Duration duration) {
  if (duration == Duration::zero()) return "0 s";
  if (duration < Duration::zero()) return fmt::format("-{}", to_text(-duration));
  // Four digits turn what is longer into 60 seconds.
  constexpr std::chrono::milliseconds kMinute{59'995};
  return duration < kMinute ? short_text(duration) : long_text(duration);
}

}  // namespace frostline::base
