#pragma once

#include <deque>

#include "cost/plan_times.h"
#include "pipeline/schedule.h"
#include "pipeline/step_places.h"
#include "pipeline/timeline.h"
#include "sim/completions.h"
#include "sim/event_loop.h"
#include "sim/links.h"
#include "sim/simulated_stage.h"

namespace frostline::sim {

/// The devices of a pipeline and the links that join them, for one step of a lowered schedule.
class SimulatedPipeline {
 public:
  /// Both outlive it.
  SimulatedPipeline(const pipeline::Schedule& schedule, const cost::PlanTimes& times);
  SimulatedPipeline(const SimulatedPipeline&) = delete;
  SimulatedPipeline& operator=(const SimulatedPipeline&) = delete;

  /// Runs the step, once. Throws base::Error that lists each blocked rank if the schedule cannot
  /// end.
  void run();

  const SimulatedStage& rank(pipeline::Rank rank) const { return ranks_.at(rank.index()); }
  const EventLoop& loop() const { return loop_; }
  pipeline::Timeline timeline() const;

 private:
  void check_ended() const;

  const pipeline::Schedule& schedule_;
  pipeline::StepPlaces places_;
  EventLoop loop_;
  Completions completions_;
  Links links_;
  SharedStep shared_;
  std::deque<SimulatedStage> ranks_;
};

}  // namespace frostline::sim
