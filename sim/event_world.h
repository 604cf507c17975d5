#pragma once

#include <optional>

#include "sim/noise.h"
#include "sim/simulated_world.h"

namespace frostline::sim {

/// What surrounds the devices of an EventWorld.
struct Surroundings {
  TransferRules rules;  ///< of transfers over the cost's topology
  Noise noise;

  /// For settings that check_cluster passed. The noise is drawn from the seed.
  static Surroundings of(const cost::ClusterSettings& settings, std::uint64_t seed);
};

/// The World of discrete events: transfers share links, devices slow down. Without noise a plan's
/// step is simulated once.
class EventWorld : public SimulatedWorld {
 public:
  EventWorld(cost::ModelCost cost, pipeline::UnitTable units, Surroundings surroundings = {});

 protected:
  SimulatedStep simulate(const pipeline::Plan& plan, base::Duration start,
                         std::int64_t step) override;
  bool repeats() const override { return surroundings_.noise.none(); }

 private:
  /// What every step of a plan needs.
  struct Prepared {
    pipeline::Plan plan;
    pipeline::Schedule schedule;
    cost::PlanTimes times;
  };
  const Prepared& prepare(const pipeline::Plan& plan);

  Surroundings surroundings_;
  std::optional<Prepared> prepared_;  // of the last plan simulated
};

}  // namespace frostline::sim
