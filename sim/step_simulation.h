#pragma once

#include <cstdint>
#include <vector>

#include "base/bytes.h"
#include "cost/plan_times.h"
#include "pipeline/schedule.h"
#include "pipeline/step_use.h"
#include "pipeline/timeline.h"
#include "sim/step_conditions.h"

namespace frostline::sim {

/// One step as an evaluator gave it.
struct SimulatedStep {
  pipeline::StepUse use;
  pipeline::Timeline timeline;  ///< without spans unless they were asked for
  std::vector<base::Bytes> peak_activation;  ///< one a rank
  std::vector<double> peak_activations;      ///< the same over one micro-batch's bytes on that rank
  base::Duration step_end{};                 ///< clip norm and optimizer after the pipeline's work
  base::Duration time() const { return use.makespan() + step_end; }
};

/// Runs one step of a lowered schedule on simulated devices, one a rank. Throws base::Error that
/// lists each blocked rank if the schedule cannot end.
SimulatedStep simulate_step(const pipeline::Schedule& schedule, const cost::PlanTimes& times,
                            const StepConditions& conditions = {});

/// What the ranks of a schedule hold at most, added to a step whose `use` is known.
SimulatedStep with_peaks(pipeline::StepUse use, const pipeline::Schedule& schedule,
                         const cost::PlanTimes& times);

}  // namespace frostline::sim
