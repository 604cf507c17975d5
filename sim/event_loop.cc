#include "sim/event_loop.h"

namespace frostline::sim {

void EventLoop::run() {
  while (!heap_.empty()) {
    now_ = heap_.front().time;
    open_ = true;
    heap_.front().waiting.resume();
    if (open_) close_top();
  }
}

void EventLoop::sift_up(const Event& event) {
  heap_.push_back(event);
  std::size_t place = heap_.size() - 1;
  while (place > 0) {
    const std::size_t parent = (place - 1) / 2;
    if (!event.before(heap_[parent])) break;
    heap_[place] = heap_[parent];
    place = parent;
  }
  heap_[place] = event;
}

void EventLoop::close_top() {
  open_ = false;
  const Event last = heap_.back();
  heap_.pop_back();
  if (!heap_.empty()) sift_down(last);
}

}  // namespace frostline::sim
