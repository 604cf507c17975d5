#pragma once

#include <deque>
#include <memory>
#include <vector>

#include "cost/plan_times.h"
#include "pipeline/schedule.h"
#include "pipeline/step_table.h"
#include "pipeline/step_use.h"
#include "pipeline/timeline.h"
#include "sim/event_loop.h"
#include "sim/links.h"
#include "sim/simulated_stage.h"
#include "sim/step_conditions.h"
#include "sim/tensors.h"

namespace frostline::sim {

/// The devices of a pipeline and the links that join them, for one step of a lowered schedule.
class SimulatedPipeline {
 public:
  /// All three outlive it.
  SimulatedPipeline(const pipeline::Schedule& schedule, const cost::PlanTimes& times,
                    const StepConditions& conditions);
  SimulatedPipeline(const SimulatedPipeline&) = delete;
  SimulatedPipeline& operator=(const SimulatedPipeline&) = delete;

  /// Runs the step, once. Throws base::Error that lists each blocked rank if the schedule cannot
  /// end.
  void run();

  const EventLoop& loop() const { return loop_; }
  pipeline::StepUse use() const;
  /// Empty unless the conditions say that spans are recorded.
  pipeline::Timeline timeline() const;

 private:
  std::unique_ptr<Links> make_links(const StepConditions& conditions);
  void check_ended(const std::vector<pipeline::Task>& tasks) const;

  const pipeline::Schedule& schedule_;
  pipeline::StepTable table_;
  EventLoop loop_;
  Tensors tensors_;
  std::unique_ptr<Links> links_;
  SharedStep shared_;
  std::vector<pipeline::LastGradient> gradients_;
  std::deque<SimulatedStage> ranks_;
  std::vector<SimulatedStage*> by_rank_;
};

}  // namespace frostline::sim
