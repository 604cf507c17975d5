#pragma once

#include "pipeline/schedules/registry.h"

namespace frostline::pipeline {

/// Two chunks a rank, the second half of the model going back over the ranks (Qi et al. 2024, arXiv
/// 2405.15362): no bubble where F, I and W take the same, in 1F1B's memory.
extern const ScheduleKind kZbV;

}  // namespace frostline::pipeline
