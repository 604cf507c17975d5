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

/// A World in virtual time. Nothing is learned, so there is no loss and no score, and an order for
/// statistics throws base::Error. A transition costs nothing, and reports hold no memory of
/// weights: the cost model has no figures for either.
class SimulatedWorld : public pipeline::World {
 public:
  SimulatedWorld(cost::ModelCost cost, pipeline::UnitTable units);

  pipeline::Report run_steps(const pipeline::Plan& plan, const pipeline::Order& order) override;
  base::Duration transition(const pipeline::Plan& plan) override;
  pipeline::Validation validate(pipeline::Split split) override;
  pipeline::Measure measure() const override;
  base::Duration save(const std::filesystem::path& file, const std::string& loop_state) override;
  std::string load(const std::filesystem::path& file) override;

  /// The last step of the current plan; there is one after the first transition.
  const SimulatedStep& step() const;
  /// What that step executes.
  pipeline::Schedule schedule() const;

 protected:
  const cost::ModelCost& cost() const { return cost_; }
  const pipeline::UnitTable& units() const { return units_; }
  /// One step of a plan that begins at `start` on the run's clock. Throws base::Error if the plan
  /// cannot run.
  virtual SimulatedStep simulate(const pipeline::Plan& plan, base::Duration start,
                                 std::int64_t step) = 0;
  /// Whether all steps of a plan are the same.
  virtual bool repeats() const = 0;

 private:
  using Steps = std::unordered_map<pipeline::Plan, SimulatedStep>;

  cost::ModelCost cost_;
  pipeline::UnitTable units_;
  Steps steps_;                            // simulated once a plan
  const Steps::value_type* now_ = nullptr;  // the current plan and its step
  std::optional<SimulatedStep> last_;      // where steps differ
  base::Duration clock_{};                 // of the steps done
  std::int64_t steps_done_ = 0;
};

}  // namespace frostline::sim
