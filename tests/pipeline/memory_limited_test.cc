#include "pipeline/schedules/memory_limited.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "pipeline/lower.h"
#include "pipeline/schedules/kind_order.h"
#include "pipeline/timeline.h"
#include "pipeline/validate.h"
#include "tests/pipeline/samples.h"

namespace frostline::pipeline {
namespace {

using base::Duration;

int between(int least, int most) { return *rc::gen::inRange(least, most + 1); }

/// The stages' own times.
class RequestTimes : public ActionTimes {
 public:
  explicit RequestTimes(const ScheduleRequest& request) : request_(request) {}

  Duration computation(const Action& action) const override {
    const StageFigures& stage = request_.stages.at(action.first().stage.index());
    if (action.first().kind == ActionKind::kForward) return stage.forward;
    if (action.first().kind == ActionKind::kInputGradient) return stage.input_gradient;
    return stage.weight_gradient;
  }
  Duration delay(const Step&) const override { return request_.send; }

 private:
  const ScheduleRequest& request_;
};

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

std::vector<ActionKind> kinds_of(const std::vector<Action>& actions) {
  std::vector<ActionKind> kinds;
  for (const Action& action : actions) kinds.push_back(action.first().kind);
  return kinds;
}

KindOrder kinds_of(const Schedule& schedule) {
  KindOrder order;
  for (const auto& actions : schedule.actions) order.push_back(kinds_of(actions));
  return order;
}

Duration cost_of(const Schedule& schedule, const ScheduleRequest& request) {
  return longest_path_timeline(lower(schedule), RequestTimes(request)).cost();
}

std::string order(const char* name, const PipelineShape& shape, double memory_limit) {
  ScheduleRequest request(shape);
  request.memory_limit = memory_limit;
  return to_text(make_schedule(name, request));
}

/// Rank 0 has room for two: it waits for the first gradient, and W0 makes room before F2.
TEST(MemoryLimited, GivesMemoryBackBeforeAForwardThatHasNoRoom) {
  EXPECT_EQ(order("zb_1p", {2, 1, 3}, 0),
            "rank 0: 0F0 0F1 0I0 0W0 0F2 0I1 0W1 0I2 0W2\n"
            "rank 1: 1F0 1I0 1F1 1I1 1W0 1F2 1I2 1W1 1W2\n");
}

/// Room for one forward more fills the wait for the first gradient.
TEST(MemoryLimited, WarmsUpFurtherWithMoreMemory) {
  EXPECT_EQ(order("zb_2p", {2, 1, 3}, 0),
            "rank 0: 0F0 0F1 0F2 0I0 0W0 0I1 0W1 0I2 0W2\n"
            "rank 1: 1F0 1I0 1F1 1I1 1F2 1I2 1W0 1W1 1W2\n");
}

TEST(MemoryLimited, LeavesOneMicroBatchARankWithTheLeastLimit) {
  EXPECT_EQ(order("zb_2p", {2, 1, 2}, 0.5),
            "rank 0: 0F0 0I0 0W0 0F1 0I1 0W1\n"
            "rank 1: 1F0 1I0 1W0 1F1 1I1 1W1\n");
}

TEST(MemoryLimited, RefusesALimitBelowOneMicroBatch) {
  EXPECT_EQ(error_of([] { order("zb_1p", {3, 1, 6}, 0.25); }),
            "schedule 'zb_1p' cannot run: a rank has to hold one micro-batch, but memory_limit = "
            "0.25 with ranks = 3 is 0.75 of one; use at least 0.334");
  EXPECT_EQ(error_of([] { order("1f1b", {3, 1, 6}, 0.25); }),
            "schedule '1f1b' cannot run: it searches for no order within a memory limit; use 0, or "
            "the schedule zb_1p or zb_2p");
  EXPECT_EQ(error_of([] { order("zb_2p", {3, 2, 6}, 0); }),
            "schedule 'zb_2p' cannot run: zb_2p holds one stage a rank, but chunks = 2; use chunks "
            "= 1");
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
    RC_ASSERT(static_cast<double>(peak_held(kinds_of(schedule.actions[rank]), stage).count) <=
              most + 1e-9);
  }
}

RC_GTEST_PROP(KindOrder, CostsWhatItsScheduleDoes, ()) {
  const ScheduleRequest request = any_request();
  for (const char* name : {"zb_h1", "zb_h2"}) {
    ScheduleRequest unlimited = request;
    unlimited.memory_limit = 0;
    const Schedule schedule = make_schedule(name, unlimited);
    RC_ASSERT(cost_of(kinds_of(schedule), request) == cost_of(schedule, request));
    RC_ASSERT(schedule_of(name, request.shape, kinds_of(schedule)) == schedule);
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
