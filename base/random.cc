#include "base/random.h"

#include <cassert>
#include <cmath>
#include <numbers>
#include <numeric>
#include <utility>

namespace frostline::base {
namespace {

using Counter = std::array<std::uint32_t, 4>;
using Key = std::array<std::uint32_t, 2>;

std::uint32_t high(std::uint64_t value) { return static_cast<std::uint32_t>(value >> 32U); }
std::uint32_t low(std::uint64_t value) { return static_cast<std::uint32_t>(value); }

// The multipliers and key increments of Philox4x32 (Salmon et al., section 3.3 and table 2).
Counter philox_round(const Counter& c, const Key& k) {
  const std::uint64_t first = std::uint64_t{0xD2511F53U} * c[0];
  const std::uint64_t second = std::uint64_t{0xCD9E8D57U} * c[2];
  return {high(second) ^ c[1] ^ k[0], low(second), high(first) ^ c[3] ^ k[1], low(first)};
}

Key next_key(const Key& k) { return {k[0] + 0x9E3779B9U, k[1] + 0xBB67AE85U}; }

}  // namespace

std::array<std::uint32_t, 4> philox(std::array<std::uint32_t, 4> counter,
                                    std::array<std::uint32_t, 2> key) {
  constexpr int kRounds = 10;
  for (int round = 0; round < kRounds; ++round) {
    counter = philox_round(counter, key);
    key = next_key(key);
  }
  return counter;
}

RandomStream::RandomStream(std::uint64_t seed, Purpose purpose, std::uint32_t a, std::uint32_t b)
    : key_{low(seed), high(seed)}, counter_{0, static_cast<std::uint32_t>(purpose), a, b} {}

std::uint32_t RandomStream::next_u32() {
  if (used_ == block_.size()) {
    block_ = philox(counter_, key_);
    used_ = 0;
    ++counter_[0];
    assert(counter_[0] != 0);  // 2^34 numbers are a stream's end
  }
  return block_[used_++];
}

std::uint64_t RandomStream::next_u64() {
  const std::uint64_t low_half = next_u32();
  return low_half | std::uint64_t{next_u32()} << 32U;
}

double RandomStream::uniform() { return static_cast<double>(next_u64() >> 11U) * 0x1p-53; }

// Lemire, "Fast random integer generation in an interval", ACM TOMACS 2019.
std::uint32_t RandomStream::below(std::uint32_t bound) {
  assert(bound > 0);
  const std::uint32_t biased = -bound % bound;  // 2^32 mod bound
  std::uint64_t product = std::uint64_t{next_u32()} * bound;
  while (low(product) < biased) product = std::uint64_t{next_u32()} * bound;
  return high(product);
}

double RandomStream::normal() {
  const double radius = std::sqrt(-2 * std::log(1 - uniform()));
  return radius * std::cos(2 * std::numbers::pi * uniform());
}

std::vector<std::uint32_t> permutation(std::uint32_t count, RandomStream stream) {
  std::vector<std::uint32_t> order(count);
  std::iota(order.begin(), order.end(), 0U);
  for (std::uint32_t left = count; left > 1; --left) {
    std::swap(order[left - 1], order[stream.below(left)]);
  }
  return order;
}

}  // namespace frostline::base
