#include "exec/sgd.h"

#include <ATen/core/grad_mode.h>
#include <ATen/ops/_fused_sgd.h>

namespace frostline::exec {
namespace {

std::vector<OptimizerState::Kind> kinds(const policy::TrainSettings& settings) {
  if (settings.momentum == 0) return {};
  return {{"momentum"}};
}

}  // namespace

Sgd::Sgd(const policy::TrainSettings& settings, const Parameters& parameters)
    : Optimizer(parameters, kinds(settings)),
      momentum_(settings.momentum),
      weight_decay_(settings.weight_decay) {}

void Sgd::step(double learning_rate) {
  const at::NoGradGuard no_grad;
  Lists first, later;
  for (std::size_t p = 0; p < parameters_.size(); ++p) {
    if (parameters_[p].tensor.grad().defined()) add(p, state_.has(p) ? later : first);
  }
  update(first, learning_rate, true);
  update(later, learning_rate, false);
}

void Sgd::add(std::size_t parameter, Lists& lists) {
  lists.parameters.push_back(parameters_[parameter].tensor);
  lists.gradients.push_back(parameters_[parameter].tensor.grad());
  if (momentum_ != 0) lists.momenta.push_back(state_.of(parameter)[0]);
}

void Sgd::update(Lists& lists, double learning_rate, bool is_first_step) const {
  if (lists.parameters.empty()) return;
  at::_fused_sgd_(lists.parameters, lists.gradients, lists.momenta, weight_decay_, momentum_,
                  learning_rate, 0.0, false, false, is_first_step);
}

}  // namespace frostline::exec
