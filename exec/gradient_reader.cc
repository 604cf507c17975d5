#include "exec/gradient_reader.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <cstring>
#include <span>

namespace frostline::exec {
namespace {

constexpr std::size_t kBlock = 1024;  // elements summed in float, 64 in each of 16 lanes

/// A vector type: what compilers make of loops over arrays takes up to four times as long.
using Four [[gnu::vector_size(4 * sizeof(float))]] = float;
constexpr std::size_t kStride = 16;  // elements that four FourSums take at once

/// Four independent sums of each kind.
struct FourSums {
  Four absolute{};
  Four squares{};

  void add(const float* values) {
    Four four;
    std::memcpy(&four, values, sizeof four);
    absolute += four < 0 ? -four : four;
    squares += four * four;
  }
};

double total(const Four& four) {
  const auto at = [&](int i) { return static_cast<double>(four[i]); };
  return at(0) + at(1) + at(2) + at(3);
}

/// What is left over at the end, element by element.
GradientSums read_rest(std::span<const float> rest) {
  GradientSums sums{0, 0, static_cast<std::int64_t>(rest.size())};
  for (const double value : rest) {
    sums.absolute += std::abs(value);
    sums.squares += value * value;
  }
  return sums;
}

GradientSums read_block(std::span<const float> block) {
  FourSums first, second, third, fourth;
  std::size_t i = 0;
  for (; i + kStride <= block.size(); i += kStride) {
    first.add(&block[i]);
    second.add(&block[i + 4]);
    third.add(&block[i + 8]);
    fourth.add(&block[i + 12]);
  }
  GradientSums sums = read_rest(block.subspan(i));
  for (const FourSums* four : {&first, &second, &third, &fourth}) {
    sums += {total(four->absolute), total(four->squares), 0};
  }
  sums.elements = static_cast<std::int64_t>(block.size());
  return sums;
}

}  // namespace

GradientSums& GradientSums::operator+=(const GradientSums& other) {
  absolute += other.absolute;
  squares += other.squares;
  elements += other.elements;
  return *this;
}

policy::GradientSample GradientSums::sample() const {
  if (elements == 0) return {};
  return {absolute / static_cast<double>(elements), squares};
}

GradientSums read_gradient(const at::Tensor& gradient) {
  if (!gradient.defined()) return {};
  assert(gradient.scalar_type() == at::kFloat);
  const at::Tensor dense = gradient.contiguous();
  const std::span<const float> values(dense.const_data_ptr<float>(),
                                      static_cast<std::size_t>(dense.numel()));
  GradientSums sums;
  for (std::size_t first = 0; first < values.size(); first += kBlock) {
    sums += read_block(values.subspan(first, std::min(kBlock, values.size() - first)));
  }
  return sums;
}

}  // namespace frostline::exec
