#pragma once

#include <chrono>

#include "base/time.h"

namespace frostline::exec {

/// Wall time since it was made.
class Stopwatch {
 public:
  base::Duration elapsed() const {
    return std::chrono::duration_cast<base::Duration>(Clock::now() - start_);
  }
  double nanoseconds() const { return static_cast<double>(elapsed().count()); }

 private:
  using Clock = std::chrono::steady_clock;
  Clock::time_point start_ = Clock::now();
};

}  // namespace frostline::exec
