#include "sim/links.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "pipeline/lower.h"
#include "pipeline/schedules/registry.h"
#include "sim/path_world.h"
#include "sim/event_world.h"
#include "sim/step_simulation.h"
#include "tests/base/throws.h"
#include "tests/cost/plans.h"

namespace frostline::sim {
namespace {

using base::Duration;
using pipeline::FreezeMask;
using pipeline::FreezePlan;
using pipeline::Partition;
using pipeline::Plan;
using pipeline::UnitTable;

/// Devices in nodes of the size given, one byte a nanosecond on every port.
cost::ModelCost on_cluster(int ranks, int devices_per_node, std::int64_t message) {
  cost::ClusterSettings settings;
  settings.devices = {"h100"};
  settings.devices_per_node = devices_per_node;
  settings.node_link_gbit_s = 8;
  settings.node_link_us = 0.002;
  settings.network_gbit_s = 8;
  settings.network_us = 0.002;
  cost::ModelCost cost = cost::equal_layers(ranks, cost::layer_cost(10, 10, 10));
  for (cost::LayerCost& layer : cost.layers) layer.output = {message};
  cost.topology =
      std::make_shared<const cost::Topology>(cost::make_topology(settings, ranks));
  return cost;
}

/// "rank 0 | 0F0 0-10 | ...".
std::string text_of(const std::string& schedule, int ranks, int micro_batches,
                    const TransferRules& rules, int devices_per_node = 1,
                    std::int64_t message = 20) {
  const cost::ModelCost cost = on_cluster(ranks, devices_per_node, message);
  const UnitTable units = UnitTable::of_layers(ranks);
  const Plan plan = cost::make_plan(schedule, {ranks, 1, micro_batches},
                                    Partition::even(ranks, ranks), FreezePlan(FreezeMask(ranks)));
  StepConditions conditions;
  conditions.topology = cost.topology.get();
  conditions.rules = rules;
  conditions.records_spans = true;
  return simulate_step(executable_schedule(plan, units), cost::PlanTimes(cost, units, plan),
                       conditions)
      .timeline.text(Duration(1));
}

/// A message takes 20 on the link and 2 more to arrive; the second leaves when the first has left.
TEST(Links, TransfersOfTwoDevicesLeaveOneAfterTheOther) {
  EXPECT_EQ(text_of("gpipe", 2, 2, {}),
            "rank 0 | 0F0 0-10 | 0F1 10-20 | 0B0 104-124 | 0B1 124-144\n"
            "rank 1 | 1F0 32-42 | 1F1 52-62 | 1B0 62-82 | 1B1 82-102\n");
}

/// 0F1 waits until 0F0's output has left, at 30.
TEST(Links, ABlockingSendHoldsUpItsSender) {
  TransferRules rules;
  rules.blocking_sends = true;
  EXPECT_EQ(text_of("gpipe", 2, 2, rules),
            "rank 0 | 0F0 0-10 | 0F1 30-40 | 0B0 114-134 | 0B1 154-174\n"
            "rank 1 | 1F0 32-42 | 1F1 62-72 | 1B0 72-92 | 1B1 112-132\n");
}

/// The overhead of 5 occupies the sender; then the transfer starts.
TEST(Links, AnOverheadOccupiesTheSender) {
  TransferRules rules;
  rules.send_overhead = Duration(5);
  EXPECT_EQ(text_of("gpipe", 2, 2, rules),
            "rank 0 | 0F0 0-10 | 0F1 15-25 | 0B0 114-134 | 0B1 139-159\n"
            "rank 1 | 1F0 37-47 | 1F1 57-67 | 1B0 67-87 | 1B1 92-112\n");
}

/// 1RECV_F1 is posted when 1F0 has ended, at 42: only then does the second transfer start.
TEST(Links, ALateReceiveHoldsUpItsTransfer) {
  TransferRules rules;
  rules.late_receives = true;
  EXPECT_EQ(text_of("gpipe", 2, 2, rules),
            "rank 0 | 0F0 0-10 | 0F1 10-20 | 0B0 116-136 | 0B1 158-178\n"
            "rank 1 | 1F0 32-42 | 1F1 64-74 | 1B0 74-94 | 1B1 94-114\n");
}

/// With neither, 1F1B's neighbours, which send to each other at once, do not block each other.
TEST(Links, NeighboursMayExchangeWithoutOverlap) {
  TransferRules rules;
  rules.blocking_sends = rules.late_receives = true;
  for (const char* schedule : {"1f1b", "gpipe", "zb_h1"}) {
    EXPECT_NO_THROW(text_of(schedule, 4, 8, rules)) << schedule;
  }
}

/// Device 1 gets outputs from 0 and gradients from 2 through one port, and in 1F1B they meet.
TEST(Links, TransfersThatShareAPortSlowEachOther) {
  const cost::ModelCost cost = on_cluster(3, 3, 30);
  const UnitTable units = UnitTable::of_layers(3);
  const Plan plan = cost::make_plan("1f1b", {3, 1, 6}, Partition::even(3, 3),
                                    FreezePlan(FreezeMask(3)));
  EventWorld shared(cost, units);
  PathWorld alone(cost, units);
  shared.transition(plan);
  alone.transition(plan);
  EXPECT_GT(shared.step().time(), alone.step().time());
}

/// Two devices never share a link, so every transfer is alone: the path world gives the same.
TEST(Links, AgreeWithThePathWhereNothingIsShared) {
  for (const char* schedule : {"gpipe", "1f1b", "zb_h1", "zb_h2"}) {
    for (const std::int64_t message : {0, 1, 7, 20, 33}) {
      const cost::ModelCost cost = on_cluster(2, 2, message);
      const UnitTable units = UnitTable::of_layers(2);
      const Plan plan = cost::make_plan(schedule, {2, 1, 6}, Partition::even(2, 2),
                                        FreezePlan(FreezeMask(2)));
      EventWorld events(cost, units);
      PathWorld path(cost, units);
      events.transition(plan);
      path.transition(plan);
      EXPECT_EQ(events.step().use, path.step().use) << schedule << " with " << message << " bytes";
      EXPECT_EQ(events.step().peak_activation, path.step().peak_activation);
    }
  }
}

}  // namespace
}  // namespace frostline::sim
