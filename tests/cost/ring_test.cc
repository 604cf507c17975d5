#include "cost/ring.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/base/throws.h"

namespace frostline::cost {
namespace {

using base::Bytes;
using base::Duration;
using ::testing::HasSubstr;

/// Ports of 1 GB/s and 5 us in a node, of 0.1 GB/s and 10 us between nodes, and north and south
/// joined by 0.01 GB/s and 1 ms.
ClusterSettings cluster(std::int64_t devices_per_node) {
  ClusterSettings settings;
  settings.devices = {"a100"};
  settings.devices_per_node = devices_per_node;
  settings.node_link_gbit_s = 8;
  settings.node_link_us = 5;
  settings.network_gbit_s = 0.8;
  settings.network_us = 10;
  return settings;
}

Rings rings(const ClusterSettings& settings, int devices, std::vector<std::vector<int>> members) {
  return {make_topology(settings, devices), std::move(members)};
}

TEST(Rings, OneDeviceTakesNoTime) {
  EXPECT_EQ(rings(cluster(8), 1, {{0}}).all_reduce(0, {1000}), Duration(0));
}

TEST(Rings, NothingTakesNoTime) {
  EXPECT_EQ(rings(cluster(8), 2, {{0, 1}}).all_reduce(0, {0}), Duration(0));
}

// 2 rounds of 500 bytes: 2 x (5 us + 500 ns).
TEST(Rings, TwoDevicesOfANode) {
  EXPECT_EQ(rings(cluster(8), 2, {{0, 1}}).all_reduce(0, {1000}), Duration(11'000));
}

// 6 rounds of ceil(1001 / 4) = 251 bytes: 6 x (5 us + 251 ns).
TEST(Rings, FourDevicesOfANode) {
  EXPECT_EQ(rings(cluster(8), 4, {{0, 1, 2, 3}}).all_reduce(0, {1001}), Duration(31'506));
}

// Each device has one hop out and one in; in half duplex they share its port: 6 x (5 us + 500 ns).
TEST(Rings, HalfDuplexHalvesTheRate) {
  ClusterSettings settings = cluster(8);
  settings.duplex = "half";
  EXPECT_EQ(rings(settings, 4, {{0, 1, 2, 3}}).all_reduce(0, {1000}), Duration(33'000));
}

// Nodes {0, 1} and {2, 3}: the hops 1-2 and 3-0 go between them, each node with one out and one in:
// 6 x (10 us + 250 bytes at 0.1 GB/s).
TEST(Rings, TheNetworkIsTheSlowestHop) {
  EXPECT_EQ(rings(cluster(2), 4, {{0, 1, 2, 3}}).all_reduce(0, {1000}), Duration(75'000));
  EXPECT_EQ(rings(cluster(2), 4, {{2, 0, 3, 1}}).all_reduce(0, {1000}), Duration(75'000));
}

// Two ranks, two replicas: device 2d + r, one node a replica. Both rings leave node 0 for node 1,
// so each has half of the port: 2 x (10 us + 500 bytes at 0.05 GB/s).
TEST(Rings, ConcurrentRingsShareLinks) {
  const Rings both = rings(cluster(2), 4, {{0, 2}, {1, 3}});
  EXPECT_EQ(both.all_reduce(0, {1000}), Duration(40'000));
  EXPECT_EQ(both.all_reduce(1, {1000}), Duration(40'000));
  EXPECT_EQ(rings(cluster(2), 4, {{0, 2}}).all_reduce(0, {1000}), Duration(30'000));
}

// Rings within a node of their own do not meet.
TEST(Rings, RingsOfDifferentNodesDoNotMeet) {
  EXPECT_EQ(rings(cluster(2), 4, {{0, 1}, {2, 3}}).all_reduce(1, {1000}), Duration(11'000));
}

// One ring in north, one across: 2 x (1 ms + 500 bytes at 0.01 GB/s); the link is not shared.
TEST(Rings, RegionsAreTheSlowestHop) {
  ClusterSettings settings = cluster(1);
  settings.regions = {"north", "north", "north", "south"};
  settings.region_links = {"north-south"};
  settings.region_gbit_s = {0.08};
  settings.region_ms = {1};
  const Rings both = rings(settings, 4, {{0, 1}, {2, 3}});
  EXPECT_EQ(both.all_reduce(0, {1000}), Duration(30'000));
  EXPECT_EQ(both.all_reduce(1, {1000}), Duration(2'100'000));
}

// In half duplex its two hops share the link between the regions.
TEST(Rings, HalfDuplexSharesTheRegionsLink) {
  ClusterSettings settings = cluster(1);
  settings.regions = {"north", "south"};
  settings.region_links = {"north-south"};
  settings.region_gbit_s = {0.08};
  settings.region_ms = {1};
  settings.duplex = "half";
  EXPECT_EQ(rings(settings, 2, {{0, 1}}).all_reduce(0, {1000}), Duration(2'200'000));
}

// A slow way with little latency and a fast one with much: what is sent decides which is slower.
TEST(Rings, TheSlowestHopDependsOnTheBytes) {
  ClusterSettings settings = cluster(1);
  settings.regions = {"north", "north", "south"};
  settings.region_links = {"north-south"};
  settings.region_gbit_s = {800};
  settings.region_ms = {1};
  settings.network_gbit_s = 800;
  const Rings three = rings(settings, 3, {{0, 1, 2}});
  EXPECT_EQ(three.all_reduce(0, {3}), Duration(4 * 1'000'000 + 1));  // 4 x 0.01 ns, rounded up once
  EXPECT_EQ(three.all_reduce(0, {300'000'000}), Duration(4 * 2'000'000));
}

TEST(Rings, RefusesWhatTheClockCannotShow) {
  ClusterSettings settings = cluster(1);
  settings.network_gbit_s = 0.01;
  const auto message = base::message_of(
      [&] { (void)rings(settings, 2, {{0, 1}}).all_reduce(0, {std::int64_t{1} << 50}); });
  EXPECT_EQ(message, "");  // 28 years
  std::vector<std::vector<int>> many(4, {0, 1});
  EXPECT_THAT(base::message_of(
                  [&] { (void)rings(settings, 2, many).all_reduce(0, {std::int64_t{1} << 50}); }),
              HasSubstr("an all-reduce of 1.00 PiB over 2 replicas takes more than 73 years"));
}

}  // namespace
}  // namespace frostline::cost
