#pragma once

#include <cstdint>
#include <vector>

#include "base/bytes.h"
#include "base/time.h"
#include "cost/topology.h"

namespace frostline::cost {

/// Rings of devices that all-reduce at the same time, each its own data. Of n devices each sends to
/// the next n-th parts of the data: n-1 rounds leave every device the sum of one part, n-1 more
/// give every part to every device (Patarasu and Yuan, "Bandwidth optimal all-reduce algorithms for
/// clusters of workstations", JPDC 69(2), 2009). A round ends with its slowest hop. A hop takes its
/// way's latency and its part at the lowest rate on its way; a link's rate is divided evenly among
/// all hops that use it, of this ring and of the others. That all others are under way all the time
/// makes it an upper bound.
///
/// A ring goes through its devices in ascending order and back to the first. Devices fill nodes in
/// order, so it leaves each node once, the fewest times that a ring over them can; likewise each
/// region whose nodes are listed one after another.
class Rings {
 public:
  /// One list of different devices a ring, each with at least one.
  Rings(const Topology& topology, std::vector<std::vector<int>> rings);

  /// The time of an all-reduce of `bytes`, at most 2^50 (a pebibyte), on one of the rings, rounded
  /// up once to the nanosecond. 0 on a ring of one device, or without bytes. Throws base::Error if
  /// it is longer than kLongestAllReduce.
  base::Duration all_reduce(std::size_t ring, base::Bytes bytes) const;

 private:
  /// From a device to the next: a byte takes `sharers` / `bytes_per_s` seconds.
  struct Hop {
    base::Duration latency{};
    std::int64_t bytes_per_s = 1;
    std::int64_t sharers = 0;
  };
  struct Ring {
    std::int64_t devices = 1;
    std::vector<Hop> hops;  ///< different ones; none in a ring of one device
  };

  std::vector<Ring> rings_;
};

/// 73 years: two of them still fit the clock.
inline constexpr base::Duration kLongestAllReduce = base::Duration::max() / 4;

}  // namespace frostline::cost
