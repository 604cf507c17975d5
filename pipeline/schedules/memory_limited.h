#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "pipeline/schedules/registry.h"

namespace frostline::pipeline {

/// The shortest order (by its longest rank) with one stage a rank that the heuristics of this
/// folder find, whose ranks hold at most `request.memory_limit` (`own_limit` where that is 0) x
/// ranks x one micro-batch's activations. It has to admit one (asserted).
Schedule memory_limited(std::string_view name, const ScheduleRequest& request, double own_limit);

}  // namespace frostline::pipeline
