// LibTorch is built with NDEBUG. Without it the header of RecordFunction declares a member that the
// library does not set, and checks it.
#ifndef NDEBUG
#define NDEBUG
#endif

#include "tests/models/torch/flops_count.h"

#include <ATen/core/Tensor.h>
#include <ATen/core/ivalue.h>

#include <string_view>

namespace frostline::models {
namespace {

// LibTorch takes a plain function, so what it counts into cannot belong to an object.
thread_local double counted = 0;

/// [n, k] x [k, m]
double product(const at::Tensor& a, const at::Tensor& b) {
  return 2.0 * static_cast<double>(a.size(-2) * a.size(-1) * b.size(-1));
}

/// Products of two [B, heads, T, d] tensors that give or take T x T scores.
double attention(const at::Tensor& query, int products) {
  const double scores = static_cast<double>(query.size(0) * query.size(1)) *
                        static_cast<double>(query.size(2) * query.size(2));
  return 2.0 * products * scores * static_cast<double>(query.size(3));
}

double flops_of(const at::RecordFunction& function) {
  const std::string_view name = function.name();
  // Not all functions have inputs to look at, so only those are asked for theirs that are counted.
  const auto input = [&](std::size_t i) { return function.inputs()[i].toTensor(); };
  if (name == "aten::mm") return product(input(0), input(1));
  if (name == "aten::addmm") return product(input(1), input(2));
  if (name == "aten::bmm")
    return static_cast<double>(input(0).size(0)) * product(input(0), input(1));
  // Forward: scores and their product with the values. Backward: the scores once more, and the
  // gradients of values, scores, queries and keys. (Its first input is the gradient.)
  if (name == "aten::_scaled_dot_product_flash_attention_for_cpu") return attention(input(0), 2);
  if (name == "aten::_scaled_dot_product_flash_attention_for_cpu_backward") {
    return attention(input(1), 5);
  }
  return 0;
}

std::unique_ptr<at::ObserverContext> count(const at::RecordFunction& function) {
  counted += flops_of(function);
  return nullptr;
}

}  // namespace

FlopsCount::FlopsCount()
    : handle_(at::addThreadLocalCallback(at::RecordFunctionCallback(count).needsInputs(true).scopes(
          {at::RecordScope::FUNCTION}))) {
  counted = 0;
}

FlopsCount::~FlopsCount() { at::removeCallback(handle_); }

double FlopsCount::flops() const { return counted; }

}  // namespace frostline::models
