#pragma once

#include "sim/simulated_world.h"

namespace frostline::sim {

/// The World of the longest path: a plan's step is walked once and remembered. Gives what the
/// EventWorld gives, to the nanosecond, where transfers of different pairs of devices do not share
/// a link and there is no noise; otherwise every transfer has its links to itself.
class PathWorld : public SimulatedWorld {
 public:
  PathWorld(cost::ModelCost cost, pipeline::UnitTable units);

 protected:
  SimulatedStep simulate(const pipeline::Plan& plan, base::Duration start,
                         std::int64_t step) override;
  bool repeats() const override { return true; }
};

}  // namespace frostline::sim
