#pragma once

#include "pipeline/schedules/registry.h"

namespace frostline::pipeline {

/// As kZb1p, within twice the memory: room enough for hardly any bubble with most times.
extern const ScheduleKind kZb2p;

}  // namespace frostline::pipeline
