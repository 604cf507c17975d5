#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <set>

#include "models/data/load_windows.h"

namespace frostline::models {
namespace {

RC_GTEST_PROP(BatchSamplerTest, ShowsNoSampleTwiceInAnEpoch, (std::uint64_t seed)) {
  const int batch = *rc::gen::inRange(1, 20);
  const int samples = batch + *rc::gen::inRange(0, 200);
  const int batches = samples / batch;
  const int epoch = *rc::gen::inRange(0, 5);
  BatchSampler sampler(seed, samples, batch);
  std::set<std::uint32_t> seen;
  for (int b = 0; b < batches; ++b) {
    for (const std::uint32_t sample : sampler.batch_of(epoch * batches + b)) {
      RC_ASSERT(sample < static_cast<std::uint32_t>(samples));
      RC_ASSERT(seen.insert(sample).second);
    }
  }
  RC_ASSERT(seen.size() == static_cast<std::size_t>(batches * batch));
}

RC_GTEST_PROP(BatchSamplerTest, IsAFunctionOfSeedAndStep, (std::uint64_t seed)) {
  const int samples = *rc::gen::inRange(10, 100);
  const std::vector<int> steps = *rc::gen::container<std::vector<int>>(rc::gen::inRange(0, 300));
  BatchSampler walked(seed, samples, 7);
  for (const int step : steps) {
    RC_ASSERT(walked.batch_of(step) == BatchSampler(seed, samples, 7).batch_of(step));
  }
}

TEST(BatchSamplerTest, DrawsAnewForEveryEpochAndSeed) {
  BatchSampler sampler(1, 100, 100);
  EXPECT_NE(sampler.batch_of(0), sampler.batch_of(1));
  EXPECT_NE(sampler.batch_of(0), BatchSampler(2, 100, 100).batch_of(0));
}

TEST(BatchSamplerTest, CountsStepsBeyond32Bits) {
  BatchSampler sampler(1, 10, 3);
  EXPECT_EQ(sampler.batch_of(std::int64_t{1} << 33).size(), 3u);
}

}  // namespace
}  // namespace frostline::models
