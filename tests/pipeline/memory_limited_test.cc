#include "pipeline/schedules/memory_limited.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "pipeline/lower.h"
#include "pipeline/schedules/request_times.h"
#include "pipeline/timeline.h"
#include "pipeline/validate.h"
#include "tests/pipeline/samples.h"

namespace frostline::pipeline {
namespace {

using base::Duration;

int between(int least, int most) { return *rc::gen::inRange(least, most + 1); }

StageFigures any_figures() {
  const int whole = between(0, 6);
  return {Duration(between(0, 9)),
          Duration(between(0, 9)),
          Duration(between(0, 9)),
          {whole},
          {between(0, whole)}};
}

ScheduleRequest any_request() {
  ScheduleRequest request(between(1, 6), 1, between(1, 14));
  for (int stage = 0; stage < request.shape.ranks; ++stage) request.stages.push_back(any_figures());
  request.send = Duration(between(0, 3));
  request.memory_limit = between(request.shape.ranks, 20) * 1.0 / request.shape.ranks;
  return request;
}

Duration cost_of(const Schedule& schedule, const ScheduleRequest& request) {
  return longest_path_timeline(lower(schedule), RequestTimes(request)).cost();
}

RC_GTEST_PROP(MemoryLimited, IsSound, ()) {
  const ScheduleRequest request = any_request();
  const Schedule schedule = make_schedule("zb_1p", request);
  RC_ASSERT(find_faults(schedule).empty());
}

RC_GTEST_PROP(MemoryLimited, KeepsWithinTheLimit, ()) {
  const ScheduleRequest request = any_request();
  const Schedule schedule = make_schedule("zb_2p", request);
  for (std::size_t rank = 0; rank < schedule.actions.size(); ++rank) {
    const StageFigures& stage = request.stages[rank];
    const double most =
        request.memory_limit * request.shape.ranks * static_cast<double>(stage.activation.count);
    RC_ASSERT(static_cast<double>(peak_held(schedule.actions[rank], stage).count) <= most + 1e-9);
  }
}

RC_GTEST_PROP(MemoryLimited, IsNoLongerThanTheHandcraftedOfItsMemory, ()) {
  ScheduleRequest request = any_request();
  request.memory_limit = 0;
  RC_ASSERT(cost_of(make_schedule("zb_1p", request), request) <=
            cost_of(make_schedule("zb_h1", request), request));
  RC_ASSERT(cost_of(make_schedule("zb_2p", request), request) <=
            cost_of(make_schedule("zb_h2", request), request));
}

}  // namespace
}  // namespace frostline::pipeline
