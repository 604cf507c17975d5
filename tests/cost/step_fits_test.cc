#include "cost/step_fits.h"

#include <gtest/gtest.h>

#include "base/error.h"
#include "cost/topology.h"
#include "tests/cost/plans.h"

namespace frostline::cost {
namespace {

TEST(StepFits, RefusesWhatOutlastsTheClock) {
  const ModelCost cost = equal_layers(2, layer_cost(1e15, 1e15, 1e15));  // of 11 days each
  EXPECT_NO_THROW(check_step_fits(cost, {2, 1, 100}));
  EXPECT_THROW(check_step_fits(cost, {2, 1, 10000}), base::Error);
}

TEST(StepFits, CountsTheSlowestRank) {
  ModelCost cost = equal_layers(2, layer_cost(1e15, 1e15, 1e15));
  cost.rank_speed = {1, 0.01};
  EXPECT_THROW(check_step_fits(cost, {2, 1, 100}), base::Error);
}

TEST(StepFits, CountsTransfers) {
  ClusterSettings cluster;
  cluster.devices = {"a100"};
  cluster.node_link_gbit_s = 0.01;
  ModelCost cost = equal_layers(2, layer_cost(1, 1, 1));
  cost.layers[0].output = {std::int64_t{1} << 50};  // 9e8 s over such a link
  EXPECT_NO_THROW(check_step_fits(cost, {2, 1, 1000}));
  cost.topology = std::make_shared<const Topology>(make_topology(cluster, 2));
  EXPECT_THROW(check_step_fits(cost, {2, 1, 1000}), base::Error);
}

}  // namespace
}  // namespace frostline::cost
