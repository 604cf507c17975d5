#pragma once

#include <chrono>
#include <cstdint>
#include <string>

namespace frostline::base {

/// A span of time, or an instant of a virtual clock that starts at 0: integer nanoseconds.
using Duration = std::chrono::nanoseconds;

/// Rounds `ms` milliseconds to the nearest nanosecond, halves away from zero.
/// Throws std::domain_error unless `ms` is finite, not negative and below kLongestMs.
Duration from_ms(double ms);

/// The longest duration that from_ms accepts: about 11 days, so that sums of ten thousands of them
/// stay far from overflow.
inline constexpr double kLongestMs = 1e9;

double to_ms(Duration duration);
double to_seconds(Duration duration);

/// For people: "1.234 ms", "12.5 s", "3 min 20 s".
std::string to_text(Duration duration);

}  // namespace frostline::base
