#include "sim/event_world.h"

#include <utility>

#include "pipeline/rewrite.h"

namespace frostline::sim {

Surroundings Surroundings::of(const cost::ClusterSettings& settings, std::uint64_t seed) {
  const bool overlap = settings.overlap;
  return {{settings.send == "blocking" || !overlap, settings.receive == "late" || !overlap,
           base::from_ms(settings.send_overhead_ms)},
          Noise(settings, seed)};
}

EventWorld::EventWorld(cost::ModelCost cost, pipeline::UnitTable units, Surroundings surroundings)
    : SimulatedWorld(std::move(cost), std::move(units)), surroundings_(std::move(surroundings)) {}

SimulatedStep EventWorld::simulate(const pipeline::Plan& plan, base::Duration start,
                                   std::int64_t step) {
  const Prepared& prepared = prepare(plan);
  StepConditions conditions;
  conditions.topology = cost().topology.get();
  conditions.rules = surroundings_.rules;
  conditions.noise = surroundings_.noise.none() ? nullptr : &surroundings_.noise;
  conditions.start = start;
  conditions.step = step;
  return simulate_step(prepared.schedule, prepared.times, conditions);
}

const EventWorld::Prepared& EventWorld::prepare(const pipeline::Plan& plan) {
  if (!prepared_ || !(prepared_->plan == plan)) {
    prepared_.reset();
    prepared_.emplace(Prepared{plan, pipeline::executable_schedule(plan, units()),
                               cost::PlanTimes(cost(), units(), plan)});
  }
  return *prepared_;
}

}  // namespace frostline::sim
