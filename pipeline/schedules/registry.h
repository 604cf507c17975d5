#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "base/document.h"
#include "pipeline/schedule.h"

namespace frostline::pipeline {

/// One way to order the micro-batches of a step. Each lives in a file of its own beside this one.
struct ScheduleKind {
  std::string_view name;         ///< as in the scenario: "1f1b"
  std::string_view description;  ///< one line
  /// Nothing if the schedule can run with this shape; else the rule, the numbers and the nearest
  /// that works.
  std::optional<std::string> (*refuse)(const PipelineShape& shape);
  /// Computations only; sends and receives are placed by `lower`.
  Schedule (*make)(const PipelineShape& shape);
};

std::span<const ScheduleKind> schedule_kinds();
base::Words schedule_names();
/// nullptr if there is none of that name.
const ScheduleKind* find_schedule(std::string_view name);
/// The schedule of that name. Throws base::Error if there is none or it refuses the shape.
Schedule make_schedule(std::string_view name, const PipelineShape& shape);

}  // namespace frostline::pipeline
