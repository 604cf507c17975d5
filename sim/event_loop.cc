#include "sim/event_loop.h"

#include <algorithm>
#include <cassert>
#include <functional>
#include <tuple>

namespace frostline::sim {

bool EventLoop::Event::later_than(const Event& other) const {
  return std::tie(time, sequence) > std::tie(other.time, other.sequence);
}

void EventLoop::resume_at(base::Duration time, std::coroutine_handle<> waiting) {
  assert(time >= now_);
  heap_.push_back({time, sequence_++, waiting});
  std::push_heap(heap_.begin(), heap_.end(), std::mem_fn(&Event::later_than));
}

void EventLoop::run() {
  while (!heap_.empty()) {
    std::pop_heap(heap_.begin(), heap_.end(), std::mem_fn(&Event::later_than));
    const Event event = heap_.back();
    heap_.pop_back();
    now_ = event.time;
    event.waiting.resume();
  }
}

}  // namespace frostline::sim
