#pragma once

#include <cstdint>
#include <string>
#include <utility>

#include "base/section.h"
#include "cost/device_kind.h"
#include "pipeline/settings.h"

namespace frostline::cost {

/// [cluster]: the simulated devices and what joins them, and what a real run uses. Rank r of
/// replica d is device d x ranks + r. Devices fill nodes in order.
struct ClusterSettings {
  base::Words devices;  ///< kinds, one for all or one a device; empty: no cluster is simulated
  double efficiency = 0;
  double memory_gib = 0;
  std::string memory_check = "refuse";
  std::int64_t devices_per_node = 8;
  base::Words regions;  ///< one for all or one a node; empty: all nodes stand in one

  double node_link_gbit_s = 256;
  double node_link_us = 5;
  double network_gbit_s = 100;
  double network_us = 10;
  base::Words region_links;  ///< "north-south"
  base::Numbers region_gbit_s = {10};
  base::Numbers region_ms = {10};
  std::string duplex = "full";
  std::string send = "non_blocking";
  double send_overhead_ms = 0;
  std::string receive = "early";
  bool overlap = true;
  double bucket_mib = 25;

  base::Integers straggler_devices;
  base::Numbers straggler_factors;
  base::Numbers straggler_from_s;   ///< empty: from the start
  base::Numbers straggler_until_s;  ///< empty: to the end
  double jitter = 0;
  double failure_mtbf_h = 0;
  double failure_detection_s = 30;
  double failure_restart_s = 300;
  double disk_gbit_s = 16;

  std::string real_device = "cpu";
  std::string real_link = "local";

  /// Whether a cluster is simulated; without one transfers are pure delays.
  bool given() const { return !devices.empty(); }
  /// The kind of a device. Requires given().
  const DeviceKind& kind(int device) const;
  /// What the device sustains: efficiency of its peak, or the built-in figure.
  double sustained_flop_s(int device) const;
  base::Bytes memory(int device) const;
  int node(int device) const { return device / static_cast<int>(devices_per_node); }
  /// "" where all nodes stand in one.
  std::string region(int node) const;
};

const base::Section<ClusterSettings>& cluster_section();

/// Notes as problems what does not fit together: lists of a wrong length, links of unknown regions,
/// regions that a transfer would cross without a link, stragglers that are no devices or end before
/// they begin, keys that have no effect without cluster.devices, and real runs that do not exist.
void check_cluster(base::Document& document, const ClusterSettings& settings,
                   const pipeline::PipelineSettings& pipeline);

/// The two regions that an entry of region_links joins: it is their names with '-' between them,
/// and both are among `regions`. Their order is the entry's. Two empty names if there is no such
/// pair, or more than one.
std::pair<std::string, std::string> joined_regions(const std::string& link,
                                                   const base::Words& regions);

/// What a list says of entry `index`: one value for all, or one an entry.
template <class Value>
const Value& one_or_each(const std::vector<Value>& list, std::size_t index) {
  return list.size() == 1 ? list.front() : list.at(index);
}

}  // namespace frostline::cost
