#pragma once

#include <memory>

#include "exec/optimizer_state.h"
#include "policy/train_settings.h"

namespace frostline::exec {

/// Steps the parameters of one rank. A parameter without a gradient (undefined) is untouched: no
/// decay, no momentum, no step count.
class Optimizer {
 public:
  virtual ~Optimizer() = default;
  /// Steps every parameter whose gradient is defined.
  virtual void step(double learning_rate) = 0;

  OptimizerState& state() { return state_; }
  const OptimizerState& state() const { return state_; }

 protected:
  Optimizer(const Parameters& parameters, std::vector<OptimizerState::Kind> kinds)
      : parameters_(parameters), state_(parameters, std::move(kinds)) {}

  const Parameters& parameters_;
  OptimizerState state_;
};

/// SGD with momentum, Adam or AdamW, as [train] says; `parameters` must outlive it.
std::unique_ptr<Optimizer> make_optimizer(const policy::TrainSettings& settings,
                                          const Parameters& parameters);

}  // namespace frostline::exec
