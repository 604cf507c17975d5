#include "sim/network.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/sim/star.h"

namespace frostline::sim {
namespace {

using base::Bytes;
using base::Duration;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr Duration kForever{1'000'000'000'000};

Departure at_once(FlowId flow, std::int64_t time) { return {flow, Duration(time), Duration(time)}; }

/// A cluster of one device a node.
cost::ClusterSettings nodes_in(const base::Words& regions) {
  cost::ClusterSettings settings;
  settings.devices = {"a100"};
  settings.devices_per_node = 1;
  settings.regions = regions;
  settings.network_gbit_s = 8;  // a byte a nanosecond
  settings.network_us = 1;
  return settings;
}

TEST(Network, GivesALoneFlowItsSlowestLink) {
  Network network(star({{5, 1}, {1, 3}}));
  EXPECT_EQ(network.start(0, 1, Bytes{1000}, Duration(7)), 0);
  EXPECT_EQ(network.bytes_per_s(0), 3e9);
  EXPECT_EQ(network.next_departure(), Duration(7 + 334)) << "1000 / 3, rounded up";
  EXPECT_THAT(network.advance(Duration(340)), IsEmpty());
  EXPECT_THAT(network.advance(Duration(341)), ElementsAre(at_once(0, 341)));
  EXPECT_EQ(network.next_departure(), std::nullopt);
}

/// 0.6 Gbit/s are 75 bytes in 1000 ns; a double holds neither 75e6 / 1e9 nor its inverse.
TEST(Network, IsExactAtRatesThatNoDoubleHolds) {
  cost::ClusterSettings settings = nodes_in({});
  settings.network_gbit_s = 0.6;
  for (const std::int64_t bytes : {75LL, 750LL, 7'500'000LL, 75'000'000'003LL}) {
    Network network(make_topology(settings, 2));
    network.start(0, 1, Bytes{bytes}, Duration(0));
    EXPECT_EQ(network.next_departure(), Duration((bytes * 1000 + 74) / 75)) << bytes;
  }
}

TEST(Network, AddsTheLatencyAfterTheLastByteHasLeft) {
  Network network(make_topology(nodes_in({}), 2));
  network.start(0, 1, Bytes{500}, Duration(0));
  EXPECT_THAT(network.advance(kForever), ElementsAre(Departure{0, Duration(500), Duration(1500)}));
}

TEST(Network, LetsWhatHasNoBytesOrNoWayLeaveAtOnce) {
  Network network(make_topology(nodes_in({}), 2));
  network.start(0, 1, Bytes{0}, Duration(5));
  network.start(1, 1, Bytes{1000}, Duration(5));
  EXPECT_THAT(network.advance(Duration(5)),
              ElementsAre(Departure{0, Duration(5), Duration(1005)}, at_once(1, 5)));
}

/// Both leave device 0 at 2 bytes a nanosecond: 300 and 500 bytes. Half each until 300, when the
/// other has 200 left, alone: 100 more.
TEST(Network, SharesALinkEvenly) {
  Network network(star({{2, 9}, {9, 9}, {9, 9}}));
  network.start(0, 1, Bytes{300}, Duration(0));
  network.start(0, 2, Bytes{500}, Duration(0));
  EXPECT_EQ(network.bytes_per_s(0), 1e9);
  EXPECT_EQ(network.bytes_per_s(1), 1e9);
  EXPECT_THAT(network.advance(kForever), ElementsAre(at_once(0, 300), at_once(1, 400)));
}

/// Flow 0 goes over both scarce links, out of 0 (6) and into 1 (10). Flow 1 shares the first with
/// it: 3 each. Flow 2 has what is left of the second: 7.
TEST(Network, GivesWhatABottleneckLeaves) {
  Network network(star({{6, 99}, {99, 10}, {99, 99}, {99, 99}}));
  network.start(0, 1, Bytes{3000}, Duration(0));
  network.start(0, 2, Bytes{1500}, Duration(0));
  network.start(3, 1, Bytes{7000}, Duration(0));
  EXPECT_EQ(network.bytes_per_s(0), 3e9);
  EXPECT_EQ(network.bytes_per_s(1), 3e9);
  EXPECT_EQ(network.bytes_per_s(2), 7e9);
  // At 500 flow 1 has left: flow 0 could have 6, but into 1 go at most 10, 5 each.
  EXPECT_THAT(network.advance(Duration(500)), ElementsAre(at_once(1, 500)));
  EXPECT_EQ(network.bytes_per_s(0), 5e9);
  EXPECT_EQ(network.bytes_per_s(2), 5e9);
  // Flow 0 has 1500 left, 300 ns; flow 2 then 7000 - 3500 - 1500 = 2000 at 10.
  EXPECT_THAT(network.advance(kForever), ElementsAre(at_once(0, 800), at_once(2, 1000)));
}

/// 1000 bytes at 1; from 400 on shared, 600 left: with 100 bytes beside it until 600, 500 left.
TEST(Network, SlowsDownWhenAnotherArrives) {
  Network network(star({{1, 9}, {9, 9}, {9, 9}}));
  network.start(0, 1, Bytes{1000}, Duration(0));
  EXPECT_THAT(network.advance(Duration(400)), IsEmpty());
  network.start(0, 2, Bytes{100}, Duration(400));
  EXPECT_EQ(network.next_departure(), Duration(600));
  EXPECT_THAT(network.advance(kForever), ElementsAre(at_once(1, 600), at_once(0, 1100)));
}

/// Three of 1000 bytes share 1 byte a nanosecond without remainder: none is late by a nanosecond.
TEST(Network, DividesALinkInThreeExactly) {
  Network network(star({{1, 9}, {9, 9}}));
  for (int i = 0; i < 3; ++i) network.start(0, 1, Bytes{1000}, Duration(0));
  EXPECT_THAT(network.advance(kForever),
              ElementsAre(at_once(0, 3000), at_once(1, 3000), at_once(2, 3000)));
}

/// 5 bytes at half of 3 bytes a nanosecond are 3.33 ns, rounded up to 4. By then the other flow has
/// sent 6 bytes of its 7; the last goes at 3 bytes a nanosecond: 0.33 ns, up to 5.
TEST(Network, RoundsEachDepartureUpOnce) {
  Network network(star({{3, 9}, {9, 9}}));
  network.start(0, 1, Bytes{5}, Duration(0));
  network.start(0, 1, Bytes{7}, Duration(0));
  EXPECT_THAT(network.advance(kForever), ElementsAre(at_once(0, 4), at_once(1, 5)));
}

TEST(Network, KeepsDirectionsApartInFullDuplex) {
  Network network(make_topology(nodes_in({}), 2));
  network.start(0, 1, Bytes{500}, Duration(0));
  network.start(1, 0, Bytes{500}, Duration(0));
  EXPECT_EQ(network.next_departure(), Duration(500));
}

TEST(Network, SharesDirectionsInHalfDuplex) {
  cost::ClusterSettings settings = nodes_in({});
  settings.duplex = "half";
  Network network(make_topology(settings, 2));
  network.start(0, 1, Bytes{500}, Duration(0));
  network.start(1, 0, Bytes{500}, Duration(0));
  EXPECT_EQ(network.next_departure(), Duration(1000));
}

/// Nodes 0 and 1 both send to the south, over one link of half a byte a nanosecond; node 3 sends
/// the other way and node 0 also to node 1, neither of which that concerns.
TEST(Network, SharesTheLinkBetweenRegions) {
  cost::ClusterSettings settings = nodes_in({"north", "north", "south", "south"});
  settings.region_links = {"north-south"};
  settings.region_gbit_s = {4};
  settings.region_ms = {2};
  Network network(make_topology(settings, 4));
  network.start(0, 2, Bytes{1000}, Duration(0));
  network.start(1, 3, Bytes{1000}, Duration(0));
  network.start(3, 1, Bytes{1000}, Duration(0));
  network.start(0, 1, Bytes{600}, Duration(0));
  EXPECT_EQ(network.bytes_per_s(0), 0.25e9);
  EXPECT_EQ(network.bytes_per_s(1), 0.25e9);
  // Into node 1 come the flow from the south, half a byte of its region's link, and the rest.
  EXPECT_EQ(network.bytes_per_s(2), 0.5e9);
  EXPECT_EQ(network.bytes_per_s(3), 0.5e9);
  constexpr Duration kRegion{2'000'000};
  constexpr Duration kNode{1'000};
  EXPECT_THAT(network.advance(kForever),
              ElementsAre(Departure{3, Duration(1200), Duration(1200) + kNode},
                          Departure{2, Duration(2000), Duration(2000) + kRegion},
                          Departure{0, Duration(4000), Duration(4000) + kRegion},
                          Departure{1, Duration(4000), Duration(4000) + kRegion}));
}

TEST(Network, LeavesFlowsAloneThatShareNothing) {
  Network network(star({{1, 9}, {9, 9}, {1, 9}, {9, 9}}));
  network.start(0, 1, Bytes{10}, Duration(0));
  network.start(2, 3, Bytes{100}, Duration(0));
  EXPECT_THAT(network.advance(kForever), ElementsAre(at_once(0, 10), at_once(1, 100)));
  EXPECT_EQ(network.flows_under_way(), 0U);
}

}  // namespace
}  // namespace frostline::sim
