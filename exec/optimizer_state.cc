#include "exec/optimizer_state.h"

#include <ATen/ops/zeros.h>
#include <ATen/ops/zeros_like.h>

#include <utility>

#include "models/torch/weights.h"

namespace frostline::exec {
namespace {

/// A counter is a float tensor: what LibTorch's fused optimizers take.
at::Tensor initial(const OptimizerState::Kind& kind, const at::Tensor& parameter) {
  return kind.is_counter ? at::zeros({}, at::kFloat) : at::zeros_like(parameter.detach());
}

}  // namespace

OptimizerState::OptimizerState(const Parameters& parameters, std::vector<Kind> kinds)
    : parameters_(parameters), kinds_(std::move(kinds)), entries_(parameters.size()) {}

std::vector<at::Tensor>& OptimizerState::of(std::size_t parameter) {
  auto& entry = entries_[parameter];
  if (entry.empty()) {
    for (const Kind& kind : kinds_) entry.push_back(initial(kind, parameters_[parameter].tensor));
  }
  return entry;
}

std::int64_t OptimizerState::bytes() const {
  std::int64_t bytes = 0;
  for (const auto& entry : entries_) {
    for (const at::Tensor& tensor : entry) bytes += static_cast<std::int64_t>(tensor.nbytes());
  }
  return bytes;
}

void OptimizerState::visit(
    const std::function<void(const std::string&, const at::Tensor&)>& visitor) const {
  for (std::size_t p = 0; p < entries_.size(); ++p) {
    for (std::size_t k = 0; k < entries_[p].size(); ++k) visitor(name_of({p, k}), entries_[p][k]);
  }
}

bool OptimizerState::restore(const std::string& name, const base::TensorBlob& value) {
  const auto place = find(name);
  if (!place) return false;
  models::copy_from_blob(of(place->parameter)[place->kind], value, name);
  return true;
}

std::string OptimizerState::name_of(Place place) const {
  return "optimizer." + kinds_[place.kind].name + "." + parameters_[place.parameter].name;
}

std::optional<OptimizerState::Place> OptimizerState::find(const std::string& name) const {
  for (std::size_t p = 0; p < parameters_.size(); ++p) {
    for (std::size_t k = 0; k < kinds_.size(); ++k) {
      if (name_of({p, k}) == name) return Place{p, k};
    }
  }
  return std::nullopt;
}

}  // namespace frostline::exec
