#include "base/random.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

namespace frostline::base {
namespace {

using Block = std::array<std::uint32_t, 4>;

// From Random123's kat_vectors, philox4x32 with 10 rounds.
TEST(Philox, GivesTheKnownAnswers) {
  constexpr std::uint32_t kOnes = 0xffffffff;
  EXPECT_EQ(philox({0, 0, 0, 0}, {0, 0}), (Block{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}));
  EXPECT_EQ(philox({kOnes, kOnes, kOnes, kOnes}, {kOnes, kOnes}),
            (Block{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}));
  EXPECT_EQ(philox({0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}, {0xa4093822, 0x299f31d0}),
            (Block{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}));
}

TEST(RandomStream, IsPhiloxOverACounter) {
  constexpr std::uint64_t kSeed = 0x0123456789abcdef;
  RandomStream stream(kSeed, Purpose::kShuffle, 5, 6);
  for (std::uint32_t block = 0; block < 3; ++block) {
    for (std::uint32_t expected : philox({block, 2, 5, 6}, {0x89abcdef, 0x01234567})) {
      EXPECT_EQ(stream.next_u32(), expected);
    }
  }
}

TEST(RandomStream, DiffersBySeedPurposeAndIndices) {
  std::set<std::uint64_t> firsts;
  for (std::uint64_t seed : {std::uint64_t{1}, std::uint64_t{1} << 32U}) {
    for (Purpose purpose : {Purpose::kInitialWeights, Purpose::kDropout}) {
      for (std::uint32_t a : {0U, 1U}) {
        for (std::uint32_t b : {0U, 1U}) {
          firsts.insert(RandomStream(seed, purpose, a, b).next_u64());
        }
      }
    }
  }
  EXPECT_EQ(firsts.size(), 16U);
}

TEST(RandomStream, UniformHasItsMoments) {
  RandomStream stream(1, Purpose::kJitter);
  constexpr int kCount = 100'000;
  double sum = 0;
  double squares = 0;
  for (int i = 0; i < kCount; ++i) {
    const double u = stream.uniform();
    ASSERT_TRUE(u >= 0 && u < 1);
    sum += u;
    squares += u * u;
  }
  EXPECT_NEAR(sum / kCount, 0.5, 0.005);
  EXPECT_NEAR(squares / kCount, 1.0 / 3, 0.005);
}

TEST(RandomStream, NormalHasItsMoments) {
  RandomStream stream(1, Purpose::kInitialWeights);
  constexpr int kCount = 100'000;
  double moments[5] = {};
  for (int i = 0; i < kCount; ++i) {
    const double x = stream.normal();
    ASSERT_TRUE(std::isfinite(x));
    for (int k = 1; k <= 4; ++k) moments[k] += std::pow(x, k) / kCount;
  }
  EXPECT_NEAR(moments[1], 0, 0.02);
  EXPECT_NEAR(moments[2], 1, 0.03);
  EXPECT_NEAR(moments[3], 0, 0.08);
  EXPECT_NEAR(moments[4], 3, 0.15);
}

TEST(RandomStream, BelowIsEven) {
  RandomStream stream(1, Purpose::kShuffle);
  constexpr int kCount = 60'000;
  int counts[6] = {};
  for (int i = 0; i < kCount; ++i) ++counts[stream.below(6)];
  for (int count : counts) EXPECT_NEAR(count, kCount / 6, 500);
}

RC_GTEST_PROP(RandomProperty, BelowStaysBelow, (std::uint64_t seed)) {
  const auto bound = *rc::gen::nonZero<std::uint32_t>();
  RandomStream stream(seed, Purpose::kShuffle);
  for (int i = 0; i < 20; ++i) RC_ASSERT(stream.below(bound) < bound);
}

RC_GTEST_PROP(RandomProperty, PermutationsHaveEveryNumberOnce, (std::uint64_t seed)) {
  const auto count = *rc::gen::inRange<std::uint32_t>(0, 200);
  auto order = permutation(count, RandomStream(seed, Purpose::kShuffle));
  RC_ASSERT(order == permutation(count, RandomStream(seed, Purpose::kShuffle)));
  std::sort(order.begin(), order.end());
  RC_ASSERT(order.size() == count);
  for (std::uint32_t i = 0; i < count; ++i) RC_ASSERT(order[i] == i);
}

TEST(Permutation, OfThreeIsEven) {
  std::map<std::vector<std::uint32_t>, int> counts;
  for (std::uint32_t i = 0; i < 6000; ++i) {
    ++counts[permutation(3, RandomStream(1, Purpose::kShuffle, i))];
  }
  EXPECT_EQ(counts.size(), 6U);
  for (const auto& [order, count] : counts) EXPECT_NEAR(count, 1000, 150);
}

}  // namespace
}  // namespace frostline::base
