#pragma once

#include <coroutine>
#include <cstdint>
#include <vector>

#include "base/time.h"

namespace frostline::sim {

/// Virtual time: coroutines that wait for an instant, resumed in a total order (time, then sequence
/// of scheduling), so that the same program gives the same bytes twice.
class EventLoop {
 public:
  base::Duration now() const { return now_; }
  /// Resumes `waiting` at `time`, which is not before now().
  void resume_at(base::Duration time, std::coroutine_handle<> waiting);
  /// Runs until nothing is scheduled.
  void run();
  std::uint64_t events() const { return sequence_; }

 private:
  struct Event {
    base::Duration time;
    std::uint64_t sequence;
    std::coroutine_handle<> waiting;
    bool later_than(const Event& other) const;
  };
  std::vector<Event> heap_;
  base::Duration now_{};
  std::uint64_t sequence_ = 0;
};

}  // namespace frostline::sim
