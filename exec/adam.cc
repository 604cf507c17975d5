#include "exec/adam.h"

#include <ATen/core/grad_mode.h>
#include <ATen/ops/_fused_adam.h>
#include <ATen/ops/_fused_adamw.h>

namespace frostline::exec {
namespace {

/// Parameters, gradients, first and second moments, maxima of the second (none: that is AMSGrad's),
/// steps; learning rate, betas, weight decay, epsilon; AMSGrad, maximise; gradient scaling (none).
using Fused = void (*)(at::TensorList, at::TensorList, at::TensorList, at::TensorList,
                       at::TensorList, at::TensorList, double, double, double, double, double, bool,
                       bool, const std::optional<at::Tensor>&, const std::optional<at::Tensor>&);

}  // namespace

Adam::Adam(const policy::TrainSettings& settings, const Parameters& parameters, WeightDecay decay)
    : Optimizer(parameters, {{"first_moment"}, {"second_moment"}, {"steps", true}}),
      beta1_(settings.beta1),
      beta2_(settings.beta2),
      epsilon_(settings.epsilon),
      weight_decay_(settings.weight_decay),
      decay_(decay) {}

void Adam::step(double learning_rate) {
  const at::NoGradGuard no_grad;
  Lists lists;
  for (std::size_t p = 0; p < parameters_.size(); ++p) {
    if (parameters_[p].tensor.grad().defined()) add(p, lists);
  }
  if (!lists.parameters.empty()) update(lists, learning_rate);
}

void Adam::add(std::size_t parameter, Lists& lists) {
  const std::vector<at::Tensor>& state = state_.of(parameter);
  lists.parameters.push_back(parameters_[parameter].tensor);
  lists.gradients.push_back(parameters_[parameter].tensor.grad());
  lists.first_moments.push_back(state[0]);
  lists.second_moments.push_back(state[1]);
  lists.steps.push_back(state[2]);
}

void Adam::update(Lists& lists, double learning_rate) const {
  for (at::Tensor& steps : lists.steps) steps.add_(1);  // the fused steps expect it counted already
  Fused fused = &at::_fused_adam_;
  if (decay_ == WeightDecay::kDecoupled) fused = &at::_fused_adamw_;
  fused(lists.parameters, lists.gradients, lists.first_moments, lists.second_moments, {},
        lists.steps, learning_rate, beta1_, beta2_, weight_decay_, epsilon_, false, false, {}, {});
}

}  // namespace frostline::exec
