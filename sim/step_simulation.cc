#include "sim/step_simulation.h"

#include "sim/simulated_pipeline.h"

namespace frostline::sim {
namespace {

using base::Bytes;
using pipeline::Rank;
using pipeline::StageId;

/// What one micro-batch holds on the rank when nothing is frozen.
Bytes full_activation(const pipeline::Schedule& schedule, const cost::PlanTimes& times, Rank rank) {
  Bytes sum;
  for (const StageId stage : base::ids<StageId>(schedule.shape.stages())) {
    if (schedule.rank_of(stage) == rank) sum += times.full_activation(stage);
  }
  return sum;
}

double ratio(Bytes part, Bytes whole) {
  if (whole.count == 0) return 0;
  return static_cast<double>(part.count) / static_cast<double>(whole.count);
}

}  // namespace

SimulatedStep simulate_step(const pipeline::Schedule& schedule, const cost::PlanTimes& times) {
  SimulatedPipeline pipeline(schedule, times);
  pipeline.run();
  SimulatedStep step;
  step.timeline = pipeline.timeline();
  step.step_end = times.step_end();
  for (const Rank rank : base::ids<Rank>(schedule.shape.ranks)) {
    const Bytes peak = pipeline.rank(rank).memory().peak();
    step.peak_activation.push_back(peak);
    step.peak_activations.push_back(ratio(peak, full_activation(schedule, times, rank)));
  }
  return step;
}

}  // namespace frostline::sim
