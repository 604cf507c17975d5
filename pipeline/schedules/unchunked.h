#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "pipeline/schedule.h"

namespace frostline::pipeline {

/// What the schedules with one stage a rank have in common: they refuse more chunks than 1.
std::optional<std::string> refuse_chunks(std::string_view name, const PipelineShape& shape);

}  // namespace frostline::pipeline
