#include "cost/topology.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace frostline::cost {
namespace {

using base::Duration;
using ::testing::ElementsAre;

/// Nodes of two devices: 0 and 1 in north, 2 in south.
ClusterSettings three_nodes() {
  ClusterSettings settings;
  settings.devices = {"a100"};
  settings.devices_per_node = 2;
  settings.regions = {"north", "north", "south"};
  settings.region_links = {"south-north"};
  settings.node_link_gbit_s = 256;
  settings.node_link_us = 1.5;
  settings.network_gbit_s = 100;
  settings.network_us = 10;
  settings.region_gbit_s = {0.6};
  settings.region_ms = {20};
  return settings;
}

std::vector<std::string> names(const Topology& topology, int from, int to) {
  std::vector<std::string> all;
  for (const LinkId link : topology.route(from, to).links) {
    all.push_back(topology.links.at(link.index()).name);
  }
  return all;
}

TEST(Topology, RoutesBySpansOfDevices) {
  const Topology topology = make_topology(three_nodes(), 6);
  EXPECT_THAT(names(topology, 0, 0), ElementsAre());
  EXPECT_THAT(names(topology, 1, 0), ElementsAre("device 1 out", "device 0 in"));
  EXPECT_THAT(names(topology, 1, 2), ElementsAre("node 0 out", "node 1 in"));
  EXPECT_THAT(names(topology, 3, 4), ElementsAre("node 1 out", "north to south", "node 2 in"));
  EXPECT_THAT(names(topology, 5, 0), ElementsAre("node 2 out", "south to north", "node 0 in"));
}

TEST(Topology, AddsTheLatencyOfTheWidestSpan) {
  const Topology topology = make_topology(three_nodes(), 6);
  EXPECT_EQ(topology.route(0, 0).latency, Duration(0));
  EXPECT_EQ(topology.route(0, 1).latency, Duration(1'500));
  EXPECT_EQ(topology.route(0, 2).latency, Duration(10'000));
  EXPECT_EQ(topology.route(0, 5).latency, Duration(20'000'000));
}

TEST(Topology, CountsRatesInBytes) {
  const Topology topology = make_topology(three_nodes(), 6);
  const auto rate = [&](int from, int to, std::size_t at) {
    return topology.links.at(topology.route(from, to).links.at(at).index()).bytes_per_s;
  };
  EXPECT_EQ(rate(0, 1, 0), 32'000'000'000);
  EXPECT_EQ(rate(0, 2, 0), 12'500'000'000);
  EXPECT_EQ(rate(0, 5, 1), 75'000'000);
}

TEST(Topology, SharesBothDirectionsInHalfDuplex) {
  ClusterSettings settings = three_nodes();
  settings.duplex = "half";
  const Topology topology = make_topology(settings, 6);
  EXPECT_THAT(names(topology, 1, 0), ElementsAre("device 1", "device 0"));
  EXPECT_THAT(names(topology, 3, 4), ElementsAre("node 1", "north-south", "node 2"));
  EXPECT_THAT(names(topology, 4, 3), ElementsAre("node 2", "north-south", "node 1"));
}

TEST(Topology, HasALinkForEachPairOfRegions) {
  ClusterSettings settings = three_nodes();
  settings.regions = {"north", "west", "south"};
  settings.region_links = {"north-west", "west-south"};
  settings.region_ms = {20, 30};
  const Topology topology = make_topology(settings, 6);
  EXPECT_EQ(topology.route(0, 2).latency, Duration(20'000'000));
  EXPECT_EQ(topology.route(4, 2).latency, Duration(30'000'000));
  EXPECT_THAT(names(topology, 4, 2), ElementsAre("node 2 out", "south to west", "node 1 in"));
}

TEST(Topology, StandsInOneRegionUnlessTold) {
  ClusterSettings settings = three_nodes();
  settings.regions = {};
  settings.region_links = {};
  EXPECT_THAT(names(make_topology(settings, 6), 0, 5), ElementsAre("node 0 out", "node 2 in"));
}

// 3 bytes at 12.5 GB/s are 0.24 ns, of which a whole one is counted; then 10 us.
TEST(Topology, TimesATransferThatIsAlone) {
  const Topology topology = make_topology(three_nodes(), 6);
  EXPECT_EQ(topology.lone_transfer(0, 2, {3}), Duration(1 + 10'000));
  EXPECT_EQ(topology.lone_transfer(0, 2, {12'500}), Duration(1'000 + 10'000));
  EXPECT_EQ(topology.lone_transfer(0, 2, {0}), Duration(10'000));
  EXPECT_EQ(topology.lone_transfer(3, 3, {1000}), Duration(0));
  // A pebibyte over the slowest link, 75 MB/s, comes close to the clock's range and stays in it.
  EXPECT_EQ(topology.lone_transfer(0, 5, {std::int64_t{1} << 50}),
            Duration(15'011'998'757'901'654) + topology.route(0, 5).latency);
}

}  // namespace
}  // namespace frostline::cost
