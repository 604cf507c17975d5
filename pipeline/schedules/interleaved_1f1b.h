#pragma once

#include "pipeline/schedules/registry.h"

namespace frostline::pipeline {

/// 1F1B over several chunks a rank, depth first (Narayanan et al. 2021, arXiv 2104.04473), with
/// (chunks - 1) x round + 2 (ranks - 1 - rank) forwards to warm up, at most all.
extern const ScheduleKind kInterleaved1F1B;

}  // namespace frostline::pipeline
