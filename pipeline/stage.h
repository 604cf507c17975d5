#pragma once

#include <coroutine>

#include "pipeline/action.h"

namespace frostline::pipeline {

/// What a schedule runs on: what one rank holds, its stages and its ends of links. It takes every
/// action; payloads never cross this interface, so the same runner walks the same schedule over
/// simulated and over real stages.
///
/// A receive is posted by its action, which is done at once, and awaited by the computation that
/// consumes it.
class Stage {
 public:
  virtual ~Stage() = default;

  /// For `co_await stage.perform(action)`: the coroutine goes on when the action is done (or is
  /// queued on the device's stream, in order).
  auto perform(const Action& action) { return Performance<Stage>{*this, action}; }

  /// Begins `action`, an element of the list that its rank performs. Returns true if it is done;
  /// otherwise resumes `waiting` later, once. Throws what went wrong.
  virtual bool begin(const Action& action, std::coroutine_handle<> waiting) = 0;

 protected:
  /// A stage whose class is known when it is compiled (and final) is called without indirection.
  template <class KnownStage>
  struct Performance {
    KnownStage& stage;
    const Action& action;

    bool await_ready() const noexcept { return false; }
    bool await_suspend(std::coroutine_handle<> waiting) { return !stage.begin(action, waiting); }
    void await_resume() const noexcept {}
  };
};

}  // namespace frostline::pipeline
