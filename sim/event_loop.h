#pragma once

#include <cassert>
#include <coroutine>
#include <cstdint>
#include <vector>

#include "base/time.h"

namespace frostline::sim {

/// Virtual time: coroutines that wait for an instant, resumed in a total order (time, then sequence
/// of scheduling), so that the same program gives the same bytes twice.
///
/// A binary heap. What is resumed leaves its place on top open until it is done, since most
/// coroutines wait for their next instant at once: that one takes the place with a single sift.
class EventLoop {
 public:
  base::Duration now() const { return now_; }
  /// Resumes `waiting` at `time`, which is not before now().
  void resume_at(base::Duration time, std::coroutine_handle<> waiting) {
    assert(time >= now_);
    const Event event{time, sequence_++, waiting};
    if (open_) {
      open_ = false;
      sift_down(event);
    } else {
      sift_up(event);
    }
  }
  /// Runs until nothing is scheduled.
  void run();
  std::uint64_t events() const { return sequence_; }

 private:
  struct Event {
    base::Duration time;
    std::uint64_t sequence;
    std::coroutine_handle<> waiting;

    bool before(const Event& other) const {
      // Without branches: which of two events is first is as good as random.
      const bool equal = time == other.time;
      return static_cast<bool>(static_cast<int>(time < other.time) |
                               (static_cast<int>(equal) &
                                static_cast<int>(sequence < other.sequence)));
    }
  };

  /// Puts `event` into the heap whose top is open.
  void sift_down(const Event& event) {
    Event* const heap = heap_.data();
    const std::size_t size = heap_.size();
    std::size_t place = 0;
    for (std::size_t child = 1; child < size; child = 2 * place + 1) {
      if (child + 1 < size) child += static_cast<std::size_t>(heap[child + 1].before(heap[child]));
      if (!heap[child].before(event)) break;
      heap[place] = heap[child];
      place = child;
    }
    heap[place] = event;
  }
  void sift_up(const Event& event);
  void close_top();

  std::vector<Event> heap_;
  base::Duration now_{};
  std::uint64_t sequence_ = 0;
  bool open_ = false;  // the top of the heap is being resumed: its place is free
};

}  // namespace frostline::sim
