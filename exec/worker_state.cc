#include <ATen/ops/zeros_like.h>
#include <fmt/format.h>

#include "base/error.h"
#include "exec/worker.h"
#include "models/torch/weights.h"

// What a worker writes into checkpoints, and takes back.

namespace frostline::exec {
namespace {

const std::string kRunningSum = "ledger.sum.";

}  // namespace

void Worker::visit_weights(const Visitor& visitor) const {
  for (const auto& placed : stage_.layers()) {
    for (const auto* tensors : {&placed.layer->parameters(), &placed.layer->buffers()}) {
      for (const auto& [name, tensor] : *tensors) visitor(name, tensor);
    }
  }
}

void Worker::visit_all(const Visitor& visitor) const {
  visit_weights(visitor);
  optimizer_->state().visit(visitor);
  for (const auto& [name, sum] : gradients_.running_sums()) visitor(kRunningSum + name, sum);
}

std::set<std::string> Worker::restore(const base::TensorFile& file, const std::string& source) {
  for (auto& placed : stage_.layers()) models::load_layer(*placed.layer, file, source);
  restore_optimizer(file, source);
  restore_running_sums(file);
  std::set<std::string> names;
  visit_all([&](const std::string& name, const at::Tensor&) { names.insert(name); });
  return names;
}

void Worker::restore_optimizer(const base::TensorFile& file, const std::string& source) {
  for (const auto& [name, blob] : file.tensors) optimizer_->state().restore(name, blob);
  optimizer_->state().visit([&](const std::string& name, const at::Tensor&) {
    if (file.tensors.contains(name)) return;
    throw base::Error({source}, fmt::format("there is no tensor '{}', though the optimizer's other "
                                            "ones of the same parameter are there; the file is "
                                            "broken, use an earlier checkpoint",
                                            name));
  });
}

void Worker::restore_running_sums(const base::TensorFile& file) {
  for (const Parameter& parameter : stage_.parameters()) {
    const auto found = file.tensors.find(kRunningSum + parameter.name);
    if (found == file.tensors.end()) continue;
    at::Tensor sum = at::zeros_like(parameter.tensor.detach());
    models::copy_from_blob(sum, found->second, found->first);
    gradients_.restore_running_sum(parameter.name, sum);
  }
}

}  // namespace frostline::exec
