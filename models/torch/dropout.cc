#include "models/torch/dropout.h"

#include <ATen/CPUGeneratorImpl.h>
#include <ATen/TensorOperators.h>
#include <ATen/ops/empty.h>

#include "base/random.h"

namespace frostline::models {
namespace {

/// A stream takes two indices, so the four of a forward go through two streams.
std::uint64_t seed_of(base::LayerId layer, const ForwardContext& where) {
  base::RandomStream outer(where.seed, base::Purpose::kDropout,
                           static_cast<std::uint32_t>(layer.value),
                           static_cast<std::uint32_t>(where.micro_batch));
  base::RandomStream inner(outer.next_u64(), base::Purpose::kDropout,
                           static_cast<std::uint32_t>(where.step),
                           static_cast<std::uint32_t>(where.step >> 32));
  return inner.next_u64();
}

}  // namespace

Dropout::Dropout(double share, base::LayerId layer, const ForwardContext& where)
    : kept_(1.0 - share) {
  if (where.training && share > 0)
    generator_ = at::detail::createCPUGenerator(seed_of(layer, where));
}

at::Tensor Dropout::operator()(const at::Tensor& input) {
  if (!generator_) return input;
  at::Tensor mask = at::empty(input.sizes(), input.options().device(at::kCPU));
  mask.bernoulli_(kept_, *generator_).div_(kept_);
  return input * mask.to(input.device());
}

}  // namespace frostline::models
