#include "sim/noise.h"

#include <gtest/gtest.h>

#include <cmath>
#include <set>

namespace frostline::sim {
namespace {

using base::Duration;
using pipeline::ActionKind;
using pipeline::Step;

constexpr std::uint64_t kSeed = 7;
constexpr std::int64_t kSecond = 1'000'000'000;
const Step kForward{ActionKind::kForward, {0}, base::MicroBatch{0}};

cost::ClusterSettings jittery(double sigma) {
  cost::ClusterSettings settings;
  settings.jitter = sigma;
  return settings;
}

/// Device 1 takes twice as long from second 10 to second 20.
cost::ClusterSettings one_straggler() {
  cost::ClusterSettings settings;
  settings.straggler_devices = {1};
  settings.straggler_factors = {2};
  settings.straggler_from_s = {10};
  settings.straggler_until_s = {20};
  return settings;
}

std::int64_t stretched(const Noise& noise, int device, std::int64_t start, std::int64_t duration) {
  return noise.stretched(device, Duration(start), Duration(duration), 0, kForward).count();
}

TEST(Noise, NoneLeavesTimesAsTheyAre) {
  EXPECT_TRUE(Noise().none());
  const Noise noise(cost::ClusterSettings(), kSeed);
  EXPECT_TRUE(noise.none());
  EXPECT_EQ(stretched(noise, 0, 5, 1'234'567), 1'234'567);
  EXPECT_FALSE(Noise(one_straggler(), kSeed).none());
  EXPECT_FALSE(Noise(jittery(0.1), kSeed).none());
}

TEST(Noise, AStragglerTakesItsFactor) {
  const Noise noise(one_straggler(), kSeed);
  EXPECT_EQ(stretched(noise, 1, 10 * kSecond, kSecond), 2 * kSecond);
  EXPECT_EQ(stretched(noise, 1, 18 * kSecond, kSecond), 2 * kSecond);
  EXPECT_EQ(stretched(noise, 1, 20 * kSecond, kSecond), kSecond);
  EXPECT_EQ(stretched(noise, 1, 9 * kSecond, kSecond), kSecond);
  EXPECT_EQ(stretched(noise, 0, 10 * kSecond, kSecond), kSecond);
}

// From 9 s: 1 s at full pace, then 2 of the 3 s of work at half: 1 + 4. From 19 s: half a second of
// work until 20 s, the rest at full pace. From 9 s, 8 s of work: 1 until 10 s, 5 until 20 s, 2.
TEST(Noise, IntegratesAcrossBoundaries) {
  const Noise noise(one_straggler(), kSeed);
  EXPECT_EQ(stretched(noise, 1, 9 * kSecond, 3 * kSecond), 5 * kSecond);
  EXPECT_EQ(stretched(noise, 1, 19 * kSecond, 3 * kSecond), kSecond + 5 * kSecond / 2);
  EXPECT_EQ(stretched(noise, 1, 9 * kSecond, 8 * kSecond), 13 * kSecond);
  EXPECT_EQ(stretched(noise, 1, 20 * kSecond - 1, 10), 11);  // half a nanosecond, rounded up once
}

TEST(Noise, OverlappingStragglersMultiply) {
  cost::ClusterSettings settings;
  settings.straggler_devices = {0, 2, 0};
  settings.straggler_factors = {2, 100, 3};
  settings.straggler_from_s = {0, 0, 10};
  settings.straggler_until_s = {20, 20, 1e6};
  const Noise noise(settings, kSeed);
  EXPECT_EQ(stretched(noise, 0, 0, kSecond), 2 * kSecond);
  EXPECT_EQ(stretched(noise, 0, 12 * kSecond, kSecond), 6 * kSecond);
  EXPECT_EQ(stretched(noise, 0, 20 * kSecond, kSecond), 3 * kSecond);
}

TEST(Noise, WithoutTimesAStragglerIsAlwaysSlow) {
  cost::ClusterSettings settings;
  settings.straggler_devices = {0};
  settings.straggler_factors = {1.1};
  const Noise noise(settings, kSeed);
  EXPECT_EQ(stretched(noise, 0, 0, 10), 11);
  EXPECT_EQ(stretched(noise, 0, 1'000'000 * kSecond, 10 * kSecond), 11 * kSecond);
  EXPECT_EQ(stretched(noise, 0, 0, 3), 4);  // 3.3
}

TEST(Noise, EndsWithTheClock) {
  cost::ClusterSettings settings;
  settings.straggler_devices.assign(2000, 0);
  settings.straggler_factors.assign(2000, 1e6);
  const Noise noise(settings, kSeed);
  const std::int64_t end = Duration::max().count() / 2;
  EXPECT_EQ(stretched(noise, 0, 0, 1'000'000 * kSecond), end);
  EXPECT_EQ(stretched(noise, 0, end - 5, 3), 5);
  EXPECT_EQ(stretched(noise, 0, end - 5, 30), 30);
  EXPECT_EQ(stretched(noise, 0, 7, 0), 0);
}

std::vector<double> log_factors(const Noise& noise, int count) {
  std::vector<double> logs;
  for (int step = 0; step < count; ++step) {
    const Duration taken = noise.stretched(0, Duration(0), Duration(kSecond), step, kForward);
    logs.push_back(std::log(static_cast<double>(taken.count()) / kSecond));
  }
  return logs;
}

// Of n normal draws the mean has a standard error of sigma/sqrt(n), the standard deviation one of
// sigma/sqrt(2n); four of them are allowed.
TEST(Noise, JitterIsLogNormalOfMedianOne) {
  constexpr int kDraws = 40'000;
  constexpr double kSigma = 0.3;
  double sum = 0;
  double squares = 0;
  int longer = 0;
  for (const double log : log_factors(Noise(jittery(kSigma), kSeed), kDraws)) {
    sum += log;
    squares += log * log;
    if (log > 0) ++longer;
  }
  const double mean = sum / kDraws;
  EXPECT_NEAR(mean, 0, 4 * kSigma / std::sqrt(kDraws));
  EXPECT_NEAR(std::sqrt(squares / kDraws - mean * mean), kSigma,
              4 * kSigma / std::sqrt(2.0 * kDraws));
  EXPECT_NEAR(longer, kDraws / 2, 2 * std::sqrt(kDraws));
}

std::int64_t drawn(const Noise& noise, int device, std::int64_t step, const Step& computation) {
  return noise.stretched(device, Duration(0), Duration(kSecond), step, computation).count();
}

TEST(Noise, EveryIndexGivesItsOwnJitter) {
  const Noise noise(jittery(0.3), kSeed);
  std::set<std::int64_t> draws;
  for (const int device : {0, 1}) {
    for (const std::int64_t step : {std::int64_t{0}, std::int64_t{1}, std::int64_t{1} << 32U}) {
      for (const int stage : {0, 1, 65'535}) {
        for (const auto kind : {ActionKind::kForward, ActionKind::kInputGradient}) {
          for (const int batch : {0, 1}) {
            draws.insert(drawn(noise, device, step, {kind, {stage}, base::MicroBatch{batch}}));
          }
        }
      }
    }
  }
  EXPECT_EQ(draws.size(), 2U * 3 * 3 * 2 * 2);
}

TEST(Noise, DoesNotDependOnTheOrderOfDraws) {
  const Noise noise(jittery(0.3), kSeed);
  const auto once = log_factors(noise, 100);
  for (int step = 99; step >= 0; --step) {
    const double log = std::log(static_cast<double>(drawn(noise, 0, step, kForward)) / kSecond);
    EXPECT_EQ(log, once.at(static_cast<std::size_t>(step)));
  }
  EXPECT_EQ(log_factors(Noise(jittery(0.3), kSeed), 100), once);
  EXPECT_NE(log_factors(Noise(jittery(0.3), kSeed + 1), 100), once);
}

TEST(Noise, AStragglersJitterIsStretchedToo) {
  cost::ClusterSettings settings = jittery(0.3);
  const std::int64_t alone = drawn(Noise(settings, kSeed), 0, 3, kForward);
  settings.straggler_devices = {0};
  settings.straggler_factors = {4};
  EXPECT_NEAR(drawn(Noise(settings, kSeed), 0, 3, kForward), 4 * alone, 4);
}

}  // namespace
}  // namespace frostline::sim
