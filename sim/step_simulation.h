#pragma once

#include <vector>

#include "cost/plan_times.h"
#include "pipeline/schedule.h"
#include "pipeline/timeline.h"

namespace frostline::sim {

/// One step as the discrete events gave it.
struct SimulatedStep {
  pipeline::Timeline timeline;
  std::vector<base::Bytes> peak_activation;  ///< one a rank
  std::vector<double> peak_activations;      ///< the same over one micro-batch's bytes on that rank
  base::Duration step_end{};                 ///< clip norm and optimizer after the pipeline's work
  base::Duration time() const { return timeline.makespan() + step_end; }
};

/// Runs one step of a lowered schedule on simulated devices, one a rank, joined by links that delay
/// what they carry. Throws base::Error that lists each blocked rank if the schedule cannot end.
SimulatedStep simulate_step(const pipeline::Schedule& schedule, const cost::PlanTimes& times);

}  // namespace frostline::sim
