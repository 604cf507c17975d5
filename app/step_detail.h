#pragma once

#include "app/scenario.h"
#include "cost/layer_cost.h"
#include "cost/plan_times.h"
#include "pipeline/rewrite.h"
#include "pipeline/schedule.h"
#include "sim/step_simulation.h"

namespace frostline::app {

/// One step of a scenario with all that a picture, a trace or a critical path shows of it.
struct StepDetail {
  /// Simulates the step that runs under a mask, without stragglers and jitter.
  StepDetail(const Scenario& scenario, const cost::ModelCost& cost,
             const pipeline::FreezeMask& mask);

  /// A computation of a stage whose units are all frozen.
  bool is_frozen(const pipeline::Step& computation) const;

  pipeline::FreezeRules rules;
  cost::PlanTimes times;
  pipeline::Schedule schedule;  ///< as executed, with its transfers
  sim::SimulatedStep step;
  double frozen_share = 0;  ///< of the model's learnable numbers, 0..1

 private:
  StepDetail(const Scenario& scenario, const cost::ModelCost& cost, const pipeline::Plan& plan);
};

}  // namespace frostline::app
