#pragma once

#include "base/time.h"
#include "pipeline/action.h"

namespace frostline::pipeline {

/// When a computation ran, from the start of its step on whatever clock.
struct Span {
  Rank rank;
  Action action;
  base::Duration start;
  base::Duration end;

  friend bool operator==(const Span&, const Span&) = default;
};

}  // namespace frostline::pipeline
