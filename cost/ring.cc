#include "cost/ring.h"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>

#include "base/error.h"

namespace frostline::cost {
namespace {

__extension__ using Wide = __int128;

constexpr std::int64_t kNsPerS = 1'000'000'000;

Wide divided_up(Wide whole, Wide parts) { return (whole + parts - 1) / parts; }

std::vector<Route> routes(const Topology& topology, const std::vector<int>& devices) {
  std::vector<Route> routes;
  if (devices.size() == 1) return routes;
  for (std::size_t i = 0; i < devices.size(); ++i) {
    routes.push_back(topology.route(devices[i], devices[(i + 1) % devices.size()]));
  }
  return routes;
}

}  // namespace

Rings::Rings(const Topology& topology, std::vector<std::vector<int>> rings) {
  std::vector<std::int64_t> sharers(topology.links.size(), 0);
  std::vector<std::vector<Route>> ways;
  for (std::vector<int>& devices : rings) {
    assert(!devices.empty());
    std::sort(devices.begin(), devices.end());
    assert(std::adjacent_find(devices.begin(), devices.end()) == devices.end());
    ways.push_back(routes(topology, devices));
    for (const Route& way : ways.back()) {
      for (const LinkId link : way.links) ++sharers[link.index()];
    }
  }
  for (std::size_t i = 0; i < rings.size(); ++i) {
    Ring ring{std::ssize(rings[i]), {}};
    for (const Route& way : ways[i]) {
      for (const LinkId link : way.links) {
        ring.hops.push_back(
            {way.latency, topology.links[link.index()].bytes_per_s, sharers[link.index()]});
      }
    }
    rings_.push_back(std::move(ring));
  }
}

/// The links of a way count as hops of their own: the slowest link makes the way's time.
base::Duration Rings::all_reduce(std::size_t index, base::Bytes bytes) const {
  const Ring& ring = rings_.at(index);
  assert(bytes >= base::Bytes{} && bytes <= base::Bytes{std::int64_t{1} << 50U});
  if (bytes == base::Bytes{}) return {};
  const std::int64_t rounds = 2 * (ring.devices - 1);
  const Wide part = divided_up(bytes.count, ring.devices);
  Wide longest = 0;
  for (const Hop& hop : ring.hops) {
    const Wide sent = divided_up(rounds * part * hop.sharers * kNsPerS, hop.bytes_per_s);
    longest = std::max(longest, rounds * Wide{hop.latency.count()} + sent);
  }
  if (longest > kLongestAllReduce.count()) {
    throw base::Error(
        fmt::format("an all-reduce of {} over {} replicas takes more than 73 years; use faster "
                    "links in [cluster], fewer replicas, or a smaller model",
                    base::to_text(bytes), ring.devices));
  }
  return base::Duration(static_cast<std::int64_t>(longest));
}

}  // namespace frostline::cost
