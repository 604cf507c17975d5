#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "base/error.h"
#include "pipeline/action_times.h"
#include "pipeline/plan.h"
#include "pipeline/rewrite.h"
#include "pipeline/units.h"

namespace frostline::pipeline {

/// The unit of time of hand-worked examples.
inline constexpr base::Duration kTick{1};

/// Every stage takes the same; a B takes I and W; a pair the sum of its two.
struct EqualStages : ActionTimes {
  int forward = 1;
  int input_gradient = 1;
  int weight_gradient = 1;
  int latency = 0;

  EqualStages() = default;
  EqualStages(int f, int i, int w, int c = 0)
      : forward(f), input_gradient(i), weight_gradient(w), latency(c) {}
  base::Duration computation(const Action& action) const override;
  base::Duration delay(const Step&) const override { return latency * kTick; }
};

/// Every layer takes a tick for each of F, I and W, and only for what freezing leaves of it.
class EqualLayers : public ActionTimes {
 public:
  EqualLayers(const Plan& plan, const UnitTable& units);
  base::Duration computation(const Action& action) const override;
  base::Duration delay(const Step&) const override { return {}; }

 private:
  int ticks(const Step& step) const;
  int trained_layers(const Step& step) const;

  Plan plan_;
  UnitTable units_;
  FreezeRules rules_;
};

/// A schedule from one line of actions a rank, "0F0 0F1 0B0 0B1", with stage s on rank s mod ranks.
Schedule schedule_from(const PipelineShape& shape, const std::vector<std::string>& lines);

/// All forwards stage by stage, then all backwards: runs with any number of chunks.
Schedule breadth_first(const PipelineShape& shape);

/// Each B as an I, with its W right after it.
Schedule split_backward(Schedule schedule);

/// Sorted texts of all steps of a schedule.
std::vector<std::string> sorted_steps(const Schedule& schedule);

/// The message of the base::Error that `act` throws; "" if it throws none.
template <class Act>
std::string error_of(const Act& act) {
  try {
    act();
  } catch (const base::Error& error) {
    return error.what();
  }
  return "";
}

}  // namespace frostline::pipeline
