#include "cost/schedule_request.h"

#include <gtest/gtest.h>

#include "tests/cost/plans.h"

namespace frostline::cost {
namespace {

using base::Bytes;
using base::Duration;
using pipeline::StageFigures;

pipeline::PipelineSettings two_ranks() {
  pipeline::PipelineSettings settings;
  settings.ranks = 2;
  settings.micro_batches = 4;
  settings.memory_limit = 1.5;
  return settings;
}

void expect_figures(const StageFigures& figures, const StageFigures& expected) {
  EXPECT_EQ(figures.forward, expected.forward);
  EXPECT_EQ(figures.input_gradient, expected.input_gradient);
  EXPECT_EQ(figures.weight_gradient, expected.weight_gradient);
  EXPECT_EQ(figures.activation, expected.activation);
  EXPECT_EQ(figures.after_input_gradient, expected.after_input_gradient);
}

/// Layers of 10.25, 20.25, 30.25 ns and 100, 40 bytes: two make 20.5, rounded up.
TEST(ScheduleRequest, AddsUpTheLayersOfEachStage) {
  ModelCost cost = equal_layers(3, layer_cost(10.25, 20.25, 30.25));
  cost.send_ns = 7.4;
  const auto request = schedule_request(cost, pipeline::UnitTable::of_layers(3),
                                        pipeline::Partition({1, 2}), two_ranks());
  EXPECT_EQ(request.shape, (pipeline::PipelineShape{2, 1, 4}));
  EXPECT_EQ(request.memory_limit, 1.5);
  EXPECT_EQ(request.send, Duration(7));
  ASSERT_EQ(request.stages.size(), 2U);
  expect_figures(request.stages[0],
                 {Duration(10), Duration(20), Duration(30), Bytes{100}, Bytes{40}});
  expect_figures(request.stages[1],
                 {Duration(21), Duration(41), Duration(61), Bytes{200}, Bytes{80}});
}

}  // namespace
}  // namespace frostline::cost
