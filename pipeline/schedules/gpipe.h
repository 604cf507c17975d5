#pragma once

#include "pipeline/schedules/registry.h"

namespace frostline::pipeline {

/// All forwards, then all backwards (Huang et al. 2019, arXiv 1811.06965).
extern const ScheduleKind kGPipe;

}  // namespace frostline::pipeline
