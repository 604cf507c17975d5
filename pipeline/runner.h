#pragma once

#include <coroutine>
#include <exception>
#include <span>
#include <utility>

#include "pipeline/stage.h"

namespace frostline::pipeline {

/// A coroutine that runs until it first waits, and is destroyed with its owner.
class Task {
 public:
  struct promise_type {
    std::exception_ptr failure;

    Task get_return_object() { return Task(Handle::from_promise(*this)); }
    std::suspend_never initial_suspend() noexcept { return {}; }
    std::suspend_always final_suspend() noexcept { return {}; }
    void return_void() {}
    void unhandled_exception() { failure = std::current_exception(); }
  };

  Task(Task&& other) noexcept : handle_(std::exchange(other.handle_, nullptr)) {}
  Task& operator=(Task&&) = delete;
  ~Task() {
    if (handle_) handle_.destroy();
  }

  bool done() const { return handle_.done(); }
  /// Throws what the coroutine threw, if it did.
  void rethrow() const {
    if (handle_.promise().failure) std::rethrow_exception(handle_.promise().failure);
  }

 private:
  using Handle = std::coroutine_handle<promise_type>;
  explicit Task(Handle handle) : handle_(handle) {}
  Handle handle_;
};

/// Performs one rank's actions in their order, on any kind of stage. `stage` and `actions` must
/// outlive the task.
template <class AnyStage>
Task run_schedule(AnyStage& stage, std::span<const Action> actions) {
  for (const Action& action : actions) co_await stage.perform(action);
}

}  // namespace frostline::pipeline
