#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>

#include "cost/layer_cost.h"
#include "pipeline/units.h"
#include "pipeline/world.h"
#include "sim/step_simulation.h"

namespace frostline::sim {

/// A World in virtual time: every step takes what its discrete events give. Nothing is learned, so
/// there is no loss and no score, and an order for statistics throws base::Error. A transition and
/// a checkpoint cost nothing, and reports hold no memory of weights: the cost model has no figures
/// for either.
class EventWorld : public pipeline::World {
 public:
  EventWorld(cost::ModelCost cost, pipeline::UnitTable units);

  pipeline::Report run_steps(const pipeline::Plan& plan, const pipeline::Order& order) override;
  base::Duration transition(const pipeline::Plan& plan) override;
  pipeline::Validation validate(pipeline::Split split) override;
  pipeline::Measure measure() const override;
  base::Duration save(const std::filesystem::path& file, const std::string& loop_state) override;
  std::string load(const std::filesystem::path& file) override;

  /// The step of the current plan; there is one after the first transition.
  const SimulatedStep& step() const;
  /// What that step executes.
  pipeline::Schedule schedule() const;

 private:
  SimulatedStep simulate(const pipeline::Plan& plan) const;

  cost::ModelCost cost_;
  pipeline::UnitTable units_;
  std::optional<pipeline::Plan> plan_;
  std::unordered_map<pipeline::Plan, SimulatedStep> steps_;  // simulated once a plan
  std::int64_t steps_done_ = 0;
};

}  // namespace frostline::sim
