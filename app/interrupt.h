#pragma once

namespace frostline::app {

/// While it lives, the first Ctrl-C (SIGINT) or SIGTERM asks the run to end after a checkpoint; a
/// second one ends the program at once. One at a time.
class InterruptGuard {
 public:
  InterruptGuard();
  ~InterruptGuard();
  InterruptGuard(const InterruptGuard&) = delete;
  InterruptGuard& operator=(const InterruptGuard&) = delete;

  bool requested() const;  ///< may be asked by any thread
};

}  // namespace frostline::app
