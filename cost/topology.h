#pragma once

#include <boost/container/static_vector.hpp>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "base/bytes.h"
#include "base/id.h"
#include "base/time.h"
#include "cost/cluster_settings.h"

namespace frostline::cost {

using LinkId = base::Id<struct LinkTag>;

/// What transfers share: one direction of a port or of a link between regions, or both.
struct NetworkLink {
  std::string name;  ///< "device 3 out", "node 0 in", "north to south"; half duplex: "device 3"
  std::int64_t bytes_per_s = 0;
};

/// The way from one device to another.
struct Route {
  boost::container::static_vector<LinkId, 3> links;  ///< all different
  base::Duration latency{};  ///< from when the last byte has left until it arrives
};

/// Who is joined to whom. Inside a node a transfer takes the ports of its two devices; between
/// nodes the network ports of its two nodes, and between regions also the regions' link.
struct Topology {
  /// One and the same link where the two directions share it.
  struct Directions {
    LinkId out;
    LinkId in;
  };
  struct Device {
    Directions port;
    int node = 0;
  };
  struct Node {
    Directions port;
    int region = 0;
  };
  struct RegionLink {
    Directions ways;  ///< out: from the lower region to the higher
    base::Duration latency{};
  };

  std::vector<NetworkLink> links;
  std::vector<Device> devices;
  std::vector<Node> nodes;
  std::map<std::pair<int, int>, RegionLink> region_links;  ///< lower region first
  base::Duration node_latency{};
  base::Duration network_latency{};

  /// No links and no latency from a device to itself. Regions on the way are joined (asserted).
  Route route(int from, int to) const;
  /// What a transfer takes that has its links to itself: until the last byte has left, rounded up
  /// to the nanosecond, and the latency. `bytes` is at most 2^50 (a pebibyte).
  base::Duration lone_transfer(int from, int to, base::Bytes bytes) const;
};

/// For settings that check_cluster passed and that give a cluster. A rate is rounded to whole bytes
/// a second.
Topology make_topology(const ClusterSettings& settings, int devices);

}  // namespace frostline::cost
