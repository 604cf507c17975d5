#include "exec/hand_over.h"

#include <cassert>
#include <utility>

namespace frostline::exec {

void HandOver::put(const pipeline::Step& receive, at::Tensor tensor) {
  {
    const std::lock_guard lock(mutex_);
    [[maybe_unused]] const bool fresh = waiting_.emplace(receive, std::move(tensor)).second;
    assert(fresh);
  }
  arrived_.notify_all();
}

at::Tensor HandOver::take(const pipeline::Step& receive) {
  std::unique_lock lock(mutex_);
  arrived_.wait(lock, [&] { return aborted_ || waiting_.contains(receive); });
  if (aborted_) throw Aborted{};
  return std::move(waiting_.extract(receive).mapped());
}

void HandOver::abort() {
  {
    const std::lock_guard lock(mutex_);
    aborted_ = true;
  }
  arrived_.notify_all();
}

}  // namespace frostline::exec
