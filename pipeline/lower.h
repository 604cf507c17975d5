#pragma once

#include "pipeline/schedule.h"

namespace frostline::pipeline {

/// Adds the sends and receives that a compute-only schedule implies: a send right after the
/// computation that makes the tensor, its receive right before the computation that needs it.
/// Gradients travel from stage s to s - 1 exactly if s - 1 has a backward of that micro-batch.
/// Stages on one rank exchange nothing. A schedule that has transfers is lowered already: they stay
/// where they are.
Schedule lower(const Schedule& schedule);

}  // namespace frostline::pipeline
