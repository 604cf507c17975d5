#pragma once

#include "pipeline/schedules/registry.h"

namespace frostline::pipeline {

/// Chunk after chunk, each with all of its micro-batches, then back (Lamy-Poirier 2022, arXiv
/// 2211.05953). The backwards take the micro-batches in reverse, as in PyTorch.
extern const ScheduleKind kLoopedBfs;

}  // namespace frostline::pipeline
