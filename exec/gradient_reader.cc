#include "exec/gradient_reader.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <cmath>
#include <numeric>
#include <span>

namespace frostline::exec {
namespace {

constexpr std::size_t kLanes = 16;    // independent sums, for the compiler to vectorise
constexpr std::size_t kBlock = 1024;  // elements summed in float: 64 a lane

using Lanes = std::array<float, kLanes>;

double total(const Lanes& lanes) { return std::accumulate(lanes.begin(), lanes.end(), 0.0); }

GradientSums read_block(std::span<const float> block) {
  Lanes absolute{};
  Lanes squares{};
  std::size_t i = 0;
  for (; i + kLanes <= block.size(); i += kLanes) {
    for (std::size_t lane = 0; lane < kLanes; ++lane) {
      const float value = block[i + lane];
      absolute[lane] += std::abs(value);
      squares[lane] += value * value;
    }
  }
  for (; i < block.size(); ++i) {
    absolute[i % kLanes] += std::abs(block[i]);
    squares[i % kLanes] += block[i] * block[i];
  }
  return {total(absolute), total(squares), static_cast<std::int64_t>(block.size())};
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
