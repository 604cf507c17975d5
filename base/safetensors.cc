#include "base/safetensors.h"

#include <algorithm>
#include <array>
#include <cassert>

#include "base/join.h"
#include "base/safetensors_format.h"

namespace frostline::base {
namespace {

struct DTypeRow {
  DType dtype;
  const char* name;
  std::size_t size;
};

constexpr std::array<DTypeRow, 7> kDTypes = {{{DType::kF32, "F32", 4},
                                              {DType::kF64, "F64", 8},
                                              {DType::kI64, "I64", 8},
                                              {DType::kI32, "I32", 4},
                                              {DType::kU8, "U8", 1},
                                              {DType::kBF16, "BF16", 2},
                                              {DType::kF16, "F16", 2}}};

const DTypeRow& row(DType dtype) {
  const auto* found = std::find_if(kDTypes.begin(), kDTypes.end(),
                                   [&](const DTypeRow& r) { return r.dtype == dtype; });
  assert(found != kDTypes.end());
  return *found;
}

}  // namespace

std::size_t size_of(DType dtype) { return row(dtype).size; }

std::string to_text(DType dtype) { return row(dtype).name; }

std::optional<DType> dtype_named(std::string_view name) {
  for (const DTypeRow& candidate : kDTypes) {
    if (candidate.name == name) return candidate.dtype;
  }
  return std::nullopt;
}

std::string dtype_names() {
  std::vector<std::string> names;
  for (const DTypeRow& candidate : kDTypes) names.emplace_back(candidate.name);
  return join(names);
}

std::optional<std::int64_t> product(std::span<const std::int64_t> factors) {
  std::int64_t result = 1;
  bool overflow = false;
  for (std::int64_t factor : factors) overflow |= __builtin_mul_overflow(result, factor, &result);
  return overflow ? std::nullopt : std::optional(result);
}

std::int64_t TensorBlob::elements() const {
  const auto count = product(shape);
  assert(count);
  return *count;
}

}  // namespace frostline::base
