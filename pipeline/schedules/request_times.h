#pragma once

#include "pipeline/action_times.h"
#include "pipeline/schedules/registry.h"

namespace frostline::pipeline {

/// The times that a request states, for a look at an order while it is being chosen. The request
/// has its stages' figures and outlives this.
class RequestTimes : public ActionTimes {
 public:
  explicit RequestTimes(const ScheduleRequest& request) : request_(request) {}

  base::Duration computation(const Action& action) const override;
  base::Duration delay(const Step&) const override { return request_.send; }

 private:
  const ScheduleRequest& request_;
};

/// The most that the list of a rank with one stage holds of activations at a time.
base::Bytes peak_held(const std::vector<Action>& actions, const StageFigures& stage);

}  // namespace frostline::pipeline
