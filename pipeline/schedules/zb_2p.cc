#include "pipeline/schedules/zb_2p.h"

#include "pipeline/schedules/memory_limited.h"
#include "pipeline/schedules/unchunked.h"

namespace frostline::pipeline {
namespace {

std::optional<std::string> refuse(const PipelineShape& shape) {
  return refuse_chunks(kZb2p.name, shape);
}

Schedule make(const ScheduleRequest& request) {
  return memory_limited(kZb2p.name, request, kZb2p.memory_limit);
}

}  // namespace

constinit const ScheduleKind kZb2p{.name = "zb_2p",
                                   .description = "As zb_1p in twice the memory: hardly a bubble.",
                                   .refuse = refuse,
                                   .make = make,
                                   .memory_limit = 2};

}  // namespace frostline::pipeline
