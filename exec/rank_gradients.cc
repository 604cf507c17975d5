#include "exec/rank_gradients.h"

#include <ATen/core/grad_mode.h>
#include <ATen/ops/zeros_like.h>

#include <algorithm>
#include <utility>

namespace frostline::exec {

void RankGradients::drop() {
  for (const Parameter& parameter : parameters_) parameter.tensor.mutable_grad() = at::Tensor();
}

void RankGradients::read() {
  sums_.clear();
  for (const Parameter& parameter : parameters_) {
    sums_.push_back(read_gradient(parameter.tensor.grad()));
  }
}

void RankGradients::write_samples(std::span<const pipeline::UnitId> units,
                                  std::span<policy::GradientSample> samples) const {
  for (std::size_t i = 0; i < units.size(); ++i) {
    if (!holds(units[i])) continue;
    GradientSums unit;
    for (std::size_t p = 0; p < parameters_.size(); ++p) {
      if (parameters_[p].unit == units[i]) unit += sums_[p];
    }
    samples[i] = unit.sample();
  }
}

void RankGradients::write_squares(std::span<double> layers) const {
  for (const Parameter& parameter : parameters_) layers[parameter.layer.index()] = 0;
  for (std::size_t p = 0; p < parameters_.size(); ++p) {
    layers[parameters_[p].layer.index()] += sums_[p].squares;
  }
}

void RankGradients::scale(double factor) {
  const at::NoGradGuard no_grad;
  for (const Parameter& parameter : parameters_) {
    at::Tensor& gradient = parameter.tensor.mutable_grad();
    if (gradient.defined()) gradient.mul_(factor);
  }
}

void RankGradients::add_to_running_sums(std::span<const pipeline::UnitId> units) {
  const at::NoGradGuard no_grad;
  for (const Parameter& parameter : parameters_) {
    const at::Tensor gradient = parameter.tensor.grad();
    if (!gradient.defined() || std::ranges::find(units, parameter.unit) == units.end()) continue;
    at::Tensor& sum = running_sums_[parameter.name];
    if (!sum.defined()) sum = at::zeros_like(gradient);
    sum.add_(gradient);
  }
}

void RankGradients::write_squared_norms_of_sums(std::span<const pipeline::UnitId> units,
                                                std::span<double> squared_norms) const {
  for (std::size_t i = 0; i < units.size(); ++i) {
    if (!holds(units[i])) continue;
    squared_norms[i] = 0;
    for (const Parameter& parameter : parameters_) {
      const auto sum = running_sums_.find(parameter.name);
      if (parameter.unit != units[i] || sum == running_sums_.end()) continue;
      squared_norms[i] += read_gradient(sum->second).squares;
    }
  }
}

void RankGradients::restore_running_sum(const std::string& parameter, at::Tensor sum) {
  running_sums_[parameter] = std::move(sum);
}

std::int64_t RankGradients::bytes() const {
  std::int64_t bytes = 0;
  for (const Parameter& parameter : parameters_) {
    const at::Tensor gradient = parameter.tensor.grad();
    if (gradient.defined()) bytes += static_cast<std::int64_t>(gradient.nbytes());
  }
  return bytes;
}

bool RankGradients::holds(pipeline::UnitId unit) const {
  return std::ranges::find(parameters_, unit, &Parameter::unit) != parameters_.end();
}

}  // namespace frostline::exec
