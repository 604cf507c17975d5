#include "pipeline/schedules/zb_1p.h"

#include "pipeline/schedules/memory_limited.h"
#include "pipeline/schedules/unchunked.h"

namespace frostline::pipeline {
namespace {

std::optional<std::string> refuse(const PipelineShape& shape) {
  return refuse_chunks(kZb1p.name, shape);
}

Schedule make(const ScheduleRequest& request) {
  return memory_limited(kZb1p.name, request, kZb1p.memory_limit);
}

}  // namespace

constinit const ScheduleKind kZb1p{.name = "zb_1p",
                                   .description =
                                       "Orders found for the times given, in the memory of 1F1B; "
                                       "pipeline.memory_limit sets another.",
                                   .refuse = refuse,
                                   .make = make,
                                   .memory_limit = 1};

}  // namespace frostline::pipeline
