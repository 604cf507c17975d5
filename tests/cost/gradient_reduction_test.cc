#include "cost/gradient_reduction.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <numeric>

#include "tests/base/throws.h"
#include "tests/cost/plans.h"

namespace frostline::cost {
namespace {

using base::Bytes;
using base::Duration;
using pipeline::FreezeMask;
using pipeline::LayerId;
using pipeline::StageId;
using pipeline::UnitId;
using pipeline::UnitTable;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr std::int64_t kMib = 1 << 20;

/// Ports of 1 GB/s without latency, all devices in one node: 1 MiB on a ring of two takes
/// 1 048 576 ns.
ClusterSettings cluster() {
  ClusterSettings settings;
  settings.devices = {"a100"};
  settings.node_link_gbit_s = 8;
  settings.node_link_us = 0;
  settings.bucket_mib = 1;
  return settings;
}

UnitTable layers_of(std::vector<std::int64_t> mib) {
  UnitTable units = UnitTable::of_layers(static_cast<int>(mib.size()));
  for (std::size_t i = 0; i < mib.size(); ++i) units.units[i].elements = mib[i] * kMib / 4;
  return units;
}

pipeline::Plan plan_of(const UnitTable& units, int ranks, FreezeMask mask) {
  return make_plan("1f1b", {ranks, 1, 2}, pipeline::Partition::even(units.layers(), ranks),
                   pipeline::FreezePlan(std::move(mask)));
}

GradientReduction reduction(const ClusterSettings& settings, const UnitTable& units, int ranks,
                            int replicas, const FreezeMask& mask) {
  return {units, plan_of(units, ranks, mask), settings, make_topology(settings, ranks * replicas),
          replicas};
}

GradientReduction reduction(const ClusterSettings& settings, const UnitTable& units, int ranks,
                            int replicas) {
  return reduction(settings, units, ranks, replicas, FreezeMask(units.size()));
}

RankEnd one_stage(int stage, std::int64_t start, std::int64_t end) {
  return {{{StageId{stage}, Duration(start), Duration(end)}}, Duration(end)};
}

TEST(GradientReduction, WithoutReplicasNothingIsReduced) {
  const UnitTable units = layers_of({1, 1});
  EXPECT_THAT(reduction(cluster(), units, 1, 1).reduce({one_stage(0, 100, 200)}),
              ElementsAre(RankReduction{Duration(200), {0}}));
}

// One bucket is ready with the last weight gradient.
TEST(GradientReduction, OneBucketFollowsTheBackward) {
  ClusterSettings settings = cluster();
  settings.bucket_mib = 25;
  const UnitTable units = layers_of({1, 1});
  EXPECT_THAT(reduction(settings, units, 1, 2).reduce({one_stage(0, 100, 200)}),
              ElementsAre(RankReduction{Duration(200 + 2 * kMib), {2 * kMib}}));
}

// Buckets of 1 MiB, ready every 2^20 ns and reduced in as much: the last alone is left.
TEST(GradientReduction, AllButTheLastBucketAreHidden) {
  const UnitTable units = layers_of({1, 3});
  EXPECT_THAT(reduction(cluster(), units, 1, 2).reduce({one_stage(0, 100, 100 + 4 * kMib)}),
              ElementsAre(RankReduction{Duration(100 + 5 * kMib), {4 * kMib}}));
}

// The links are the bottleneck: the first bucket is ready after a quarter of 1000 ns.
TEST(GradientReduction, SlowLinksQueueBuckets) {
  const UnitTable units = layers_of({1, 3});
  EXPECT_THAT(reduction(cluster(), units, 1, 2).reduce({one_stage(0, 0, 1000)}),
              ElementsAre(RankReduction{Duration(250 + 4 * kMib), {4 * kMib}}));
}

TEST(GradientReduction, WithoutOverlapAllWaitForTheLastComputation) {
  ClusterSettings settings = cluster();
  settings.overlap = false;
  RankEnd end = one_stage(0, 0, 1000);
  end.last_computation = Duration(5000);
  EXPECT_THAT(reduction(settings, layers_of({1, 3}), 1, 2).reduce({end}),
              ElementsAre(RankReduction{Duration(5000 + 4 * kMib), {4 * kMib}}));
}

// A backward long before the rank's last computation: its reductions end before that.
TEST(GradientReduction, HiddenBehindOtherComputations) {
  RankEnd end = one_stage(0, 0, 1000);
  end.last_computation = Duration(9 * kMib);
  EXPECT_THAT(reduction(cluster(), layers_of({1, 3}), 1, 2).reduce({end}),
              ElementsAre(RankReduction{Duration(9 * kMib), {4 * kMib}}));
}

// 2.5 MiB: two full buckets and a half one, of which only the last is not hidden.
TEST(GradientReduction, TheLastBucketIsTheRest) {
  UnitTable units = layers_of({2, 0});
  units.units[1].elements = kMib / 8;
  EXPECT_THAT(reduction(cluster(), units, 1, 2).reduce({one_stage(0, 0, 25 * kMib)}),
              ElementsAre(RankReduction{Duration(25 * kMib + kMib / 2), {5 * kMib / 2}}));
}

// Ranks in a node have ports of their own; rank 1's stage has 3 MiB.
TEST(GradientReduction, EachRankReducesItsStages) {
  ClusterSettings settings = cluster();
  settings.bucket_mib = 25;
  EXPECT_THAT(reduction(settings, layers_of({1, 3}), 2, 2)
                  .reduce({one_stage(0, 0, 1000), one_stage(1, 0, 500)}),
              ElementsAre(RankReduction{Duration(1000 + kMib), {kMib}},
                          RankReduction{Duration(500 + 3 * kMib), {3 * kMib}}));
}

// A node a replica, network ports of 1 GB/s: two rings share each.
TEST(GradientReduction, RanksShareTheNetwork) {
  ClusterSettings settings = cluster();
  settings.bucket_mib = 25;
  settings.devices_per_node = 2;
  settings.network_gbit_s = 8;
  settings.network_us = 0;
  const UnitTable units = layers_of({1, 1});
  const std::vector<RankEnd> ends = {one_stage(0, 0, 1000), one_stage(1, 0, 1000)};
  EXPECT_THAT(reduction(settings, units, 2, 2).reduce(ends),
              ElementsAre(RankReduction{Duration(1000 + 2 * kMib), {kMib}},
                          RankReduction{Duration(1000 + 2 * kMib), {kMib}}));
  FreezeMask first(2);
  first.freeze({0});
  EXPECT_THAT(reduction(settings, units, 2, 2, first).reduce(ends),
              ElementsAre(RankReduction{Duration(1000), {0}},
                          RankReduction{Duration(1000 + kMib), {kMib}}));
}

TEST(GradientReduction, FrozenUnitsAreLeftOut) {
  const UnitTable units = layers_of({1, 2, 4});
  FreezeMask mask(3);
  mask.freeze({1});
  const GradientReduction part = reduction(cluster(), units, 1, 2, mask);
  EXPECT_EQ(part.gradients({0}), Bytes{5 * kMib});
  EXPECT_EQ(reduction(cluster(), units, 1, 2).gradients({0}), Bytes{7 * kMib});
  EXPECT_THAT(part.reduce({one_stage(0, 0, 0)}),
              ElementsAre(RankReduction{Duration(5 * kMib), {5 * kMib}}));
}

// What is frozen for some micro-batches only still has a gradient.
TEST(GradientReduction, FrozenInAPartOfTheStepIsReduced) {
  const UnitTable units = layers_of({1, 1});
  FreezeMask some(2);
  some.freeze({0});
  pipeline::Plan plan = plan_of(units, 1, FreezeMask(2));
  plan.freeze = pipeline::FreezePlan({some, FreezeMask(2)});
  EXPECT_EQ(
      GradientReduction(units, plan, cluster(), make_topology(cluster(), 2), 2).gradients({0}),
      Bytes{2 * kMib});
}

TEST(GradientReduction, ATiedUnitCountsOnceAStage) {
  UnitTable units = layers_of({1, 1, 1, 1});
  units.units[0].layers = {{0}, {1}, {3}};
  const GradientReduction tied = reduction(cluster(), units, 2, 2);
  EXPECT_EQ(tied.gradients({0}), Bytes{2 * kMib});
  EXPECT_EQ(tied.gradients({1}), Bytes{3 * kMib});
}

// Stages 0 and 2 on rank 0, 1 and 3 on rank 1. With equal readiness the later stage goes first;
// stage 0's backward is over last.
TEST(GradientReduction, ARankReducesItsStagesInOrderOfReadiness) {
  const UnitTable units = layers_of({1, 1, 1, 1});
  const auto plan = make_plan("interleaved_1f1b", {2, 2, 2}, pipeline::Partition::even(4, 4),
                              pipeline::FreezePlan(FreezeMask(4)));
  const GradientReduction both(units, plan, cluster(), make_topology(cluster(), 4), 2);
  const RankEnd first{{{StageId{0}, Duration(3 * kMib), Duration(4 * kMib)},
                       {StageId{2}, Duration(0), Duration(1 * kMib)}},
                      Duration(4 * kMib)};
  const RankEnd second{
      {{StageId{1}, Duration(0), Duration(100)}, {StageId{3}, Duration(0), Duration(50)}},
      Duration(100)};
  EXPECT_THAT(both.reduce({first, second}),
              ElementsAre(RankReduction{Duration(5 * kMib), {2 * kMib}},
                          RankReduction{Duration(50 + 2 * kMib), {2 * kMib}}));
}

TEST(GradientReduction, RefusesWhatTheClockCannotShow) {
  ClusterSettings settings = cluster();
  settings.node_link_gbit_s = 0.01;
  UnitTable units = layers_of({1});
  units.units[0].elements = std::int64_t{1} << 49;
  EXPECT_THAT(base::message_of([&] { (void)reduction(settings, units, 1, 2); }),
              HasSubstr("a stage's gradients are 2.00 PiB, and at most 1.00 PiB"));
  units.units[0].elements = std::int64_t{1} << 48;
  settings.bucket_mib = 1e6;
  settings.node_link_us = 1e6;
  settings.duplex = "half";
  const auto eight = reduction(settings, units, 1, 8);
  EXPECT_THAT(base::message_of([&] { (void)eight.reduce({one_stage(0, 0, 0)}); }),
              HasSubstr("the gradient reductions of rank 0 take more than 73 years"));
}

/// Any stage of any size: reductions end no earlier than without replicas and than the links allow,
/// overlap never delays them, and no bucket goes before its gradient: the last one is not ready
/// before the end of the backward.
RC_GTEST_PROP(GradientReductionProperty, KeepsBounds, ()) {
  ClusterSettings settings = cluster();
  settings.bucket_mib = static_cast<double>(*rc::gen::inRange(1, 40)) / 8;
  const auto mib = *rc::gen::container<std::vector<std::int64_t>>(4, rc::gen::inRange(0, 8));
  FreezeMask mask(4);
  for (int unit = 0; unit < 4; ++unit) {
    if (*rc::gen::arbitrary<bool>()) mask.freeze({unit});
  }
  const UnitTable units = layers_of(mib);
  const auto start = static_cast<std::int64_t>(*rc::gen::inRange(0, 1 << 24));
  const auto end = start + *rc::gen::inRange(0, 1 << 24);
  RankEnd rank = one_stage(0, start, end);
  rank.last_computation += Duration(*rc::gen::inRange(0, 1 << 24));

  const auto overlapped = reduction(settings, units, 1, 2, mask);
  const RankReduction with = overlapped.reduce({rank}).front();
  settings.overlap = false;
  const RankReduction without = reduction(settings, units, 1, 2, mask).reduce({rank}).front();
  const Duration all(overlapped.gradients({0}).count);  // at 1 GB/s
  RC_ASSERT(with.bytes == overlapped.gradients({0}));
  RC_ASSERT(with.end >= rank.last_computation);
  RC_ASSERT(with.end <= without.end);
  RC_ASSERT(without.end == rank.last_computation + all);
  const auto bucket = static_cast<std::int64_t>(settings.bucket_mib * kMib);
  const std::int64_t rest = all.count() % bucket;
  if (all.count() == 0) return;
  const Duration last(rest == 0 ? bucket : rest);
  RC_ASSERT(with.end >= Duration(end) + last);
  RC_ASSERT(with.end >= Duration(start) + all);
}

}  // namespace
}  // namespace frostline::cost
