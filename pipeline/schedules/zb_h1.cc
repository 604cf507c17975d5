#include "pipeline/schedules/zb_h1.h"

#include "pipeline/schedules/lagging_weights.h"
#include "pipeline/schedules/unchunked.h"

namespace frostline::pipeline {
namespace {

std::optional<std::string> refuse(const PipelineShape& shape) {
  return refuse_chunks(kZbH1.name, shape);
}

Schedule make(const ScheduleRequest& request) {
  return schedule_of(kZbH1.name, request.shape, lagging_weights(request.shape, 1));
}

}  // namespace

constinit const ScheduleKind kZbH1{
    "zb_h1", "1F1B with the backward split: weight gradients fill the bubbles, within its memory.",
    refuse, make};

}  // namespace frostline::pipeline
