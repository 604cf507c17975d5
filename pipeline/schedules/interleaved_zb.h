#pragma once

#include "pipeline/schedules/registry.h"

namespace frostline::pipeline {

/// ZB-H1's rule over several chunks a rank, depth first (Qi et al. 2023, arXiv 2401.10241): the
/// warm-up grows by 1 for each rank behind, and the weight gradients lag by the rank's number.
extern const ScheduleKind kInterleavedZb;

}  // namespace frostline::pipeline
