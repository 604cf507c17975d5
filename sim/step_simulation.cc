#include "sim/step_simulation.h"

#include <utility>

#include "sim/activation_memory.h"
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

SimulatedStep with_peaks(pipeline::StepUse use, const pipeline::Schedule& schedule,
                         const cost::PlanTimes& times) {
  SimulatedStep step;
  step.use = std::move(use);
  step.step_end = times.step_end();
  for (const Rank rank : base::ids<Rank>(schedule.shape.ranks)) {
    ActivationMemory memory(times);
    for (const pipeline::Action& action : schedule.actions[rank.index()]) {
      if (pipeline::is_computation(action)) memory.perform(action);
    }
    step.peak_activation.push_back(memory.peak());
    step.peak_activations.push_back(ratio(memory.peak(), full_activation(schedule, times, rank)));
  }
  return step;
}

SimulatedStep simulate_step(const pipeline::Schedule& schedule, const cost::PlanTimes& times,
                            const StepConditions& conditions) {
  SimulatedPipeline pipeline(schedule, times, conditions);
  pipeline.run();
  SimulatedStep step = with_peaks(pipeline.use(), schedule, times);
  step.timeline = pipeline.timeline();
  return step;
}

}  // namespace frostline::sim
