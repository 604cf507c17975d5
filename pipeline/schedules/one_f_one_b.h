#pragma once

#include "pipeline/schedules/registry.h"

namespace frostline::pipeline {

/// min(ranks - 1 - s, m) forwards to warm up, then a forward and a backward in turn, then the rest
/// of the backwards (PipeDream-Flush, Narayanan et al. 2021, arXiv 2006.09503).
extern const ScheduleKind kOneFOneB;

}  // namespace frostline::pipeline
