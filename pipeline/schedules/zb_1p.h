#pragma once

#include "pipeline/schedules/registry.h"

namespace frostline::pipeline {

/// The heuristic of `memory_limited` within the activations of 1F1B's first rank, ranks
/// micro-batches, unless the request says otherwise (Qi et al. 2023, arXiv 2401.10241, section 3).
extern const ScheduleKind kZb1p;

}  // namespace frostline::pipeline
