#include "pipeline/schedules/zb_h2.h"

#include "pipeline/schedules/lagging_weights.h"
#include "pipeline/schedules/unchunked.h"

namespace frostline::pipeline {
namespace {

std::optional<std::string> refuse(const PipelineShape& shape) {
  return refuse_chunks(kZbH2.name, shape);
}

Schedule make(const ScheduleRequest& request) {
  return schedule_of(kZbH2.name, request.shape, lagging_weights(request.shape, 2));
}

}  // namespace

constinit const ScheduleKind kZbH2{
    "zb_h2", "As zb_h1 with twice the warm-up and memory: no bubbles if all times are equal.",
    refuse, make};

}  // namespace frostline::pipeline
