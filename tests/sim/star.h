#pragma once

#include <vector>

#include "cost/topology.h"

namespace frostline::sim {

/// Bytes a nanosecond.
struct PortRates {
  std::int64_t out = 1;
  std::int64_t in = 1;
};

/// Devices of one node without latency: a transfer takes the sender's way out (link 2 i) and the
/// receiver's way in (link 2 i + 1).
inline cost::Topology star(const std::vector<PortRates>& rates) {
  cost::Topology topology;
  const auto add = [&](std::int64_t rate) {
    topology.links.push_back({"", rate * 1'000'000'000});
    return cost::LinkId{static_cast<int>(topology.links.size()) - 1};
  };
  for (const auto& [out, in] : rates) {
    const cost::LinkId way_out = add(out);
    topology.devices.push_back({{way_out, add(in)}, 0});
  }
  return topology;
}

}  // namespace frostline::sim
