#pragma once

#include "exec/optimizer.h"

namespace frostline::exec {

/// Stochastic gradient descent with momentum as PyTorch defines it, dampening 0, weight decay into
/// the gradient: d = g + wd p; v = d at the first step, then mu v + d; p -= lr v.
class Sgd : public Optimizer {
 public:
  Sgd(const policy::TrainSettings& settings, const Parameters& parameters);
  void step(double learning_rate) override;

 private:
  struct Lists {
    std::vector<at::Tensor> parameters, gradients, momenta;
  };
  void add(std::size_t parameter, Lists& lists);
  void update(Lists& lists, double learning_rate, bool is_first_step) const;

  double momentum_;
  double weight_decay_;
};

}  // namespace frostline::exec
