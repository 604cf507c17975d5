#pragma once

#include "pipeline/schedules/registry.h"

namespace frostline::pipeline {

/// Two chunks a rank placed as in ZB-V; forwards and backwards of the two directions overlap
/// (DeepSeek-AI 2024, arXiv 2412.19437, in the V-shaped variant without doubled weights).
extern const ScheduleKind kDualPipeV;

}  // namespace frostline::pipeline
