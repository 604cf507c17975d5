#pragma once

#include <array>
#include <cstdint>
#include <vector>

namespace frostline::base {

/// Philox4x32-10 (Salmon et al., "Parallel random numbers: as easy as 1, 2, 3", SC 2011): a block
/// of four 32-bit numbers as a pure function of counter and key. What a draw gives depends on what
/// it is for (its key and counter), never on who drew before it, so results do not depend on
/// threads or ranks.
std::array<std::uint32_t, 4> philox(std::array<std::uint32_t, 4> counter,
                                    std::array<std::uint32_t, 2> key);

/// What a stream of random numbers is for; streams of different purposes are independent.
enum class Purpose : std::uint32_t {
  kInitialWeights = 1,
  kShuffle = 2,
  kDropout = 3,
  kJitter = 4,
  kFailures = 5
};

/// A sequence of random numbers identified by seed, purpose and up to two indices (a layer and a
/// step, say).
class RandomStream {
 public:
  RandomStream(std::uint64_t seed, Purpose purpose, std::uint32_t a = 0, std::uint32_t b = 0);

  std::uint32_t next_u32();
  std::uint64_t next_u64();
  /// Uniform in [0, 1) with 53 random bits.
  double uniform();
  /// Uniform in [0, bound), without bias; bound > 0.
  std::uint32_t below(std::uint32_t bound);
  /// Standard normal (Box-Muller).
  double normal();

 private:
  std::array<std::uint32_t, 2> key_;
  std::array<std::uint32_t, 4> counter_;
  std::array<std::uint32_t, 4> block_{};
  unsigned used_ = 4;
};

/// A permutation of 0..count-1 (Fisher-Yates), the same for the same stream.
std::vector<std::uint32_t> permutation(std::uint32_t count, RandomStream stream);

}  // namespace frostline::base
