#include "pipeline/plan.h"

#include <gtest/gtest.h>

#include <unordered_set>

#include "pipeline/schedules/registry.h"

namespace frostline::pipeline {
namespace {

Plan plan() {
  return {make_schedule("1f1b", {2, 1, 4}), Partition({2, 2}),
          FreezePlan(FreezeMask::from_text("1000")), Cut::kPrefix};
}

TEST(Plan, EqualPlansHashEqual) {
  EXPECT_EQ(plan(), plan());
  EXPECT_EQ(std::hash<Plan>{}(plan()), std::hash<Plan>{}(plan()));
}

TEST(Plan, EveryPartOfAPlanTellsItApart) {
  std::vector<Plan> plans(6, plan());
  plans[1].schedule = make_schedule("gpipe", {2, 1, 4});
  plans[2].schedule = make_schedule("1f1b", {2, 1, 5});
  plans[3].partition = Partition({3, 1});
  plans[4].freeze = FreezePlan(FreezeMask::from_text("1100"));
  plans[5].cut = Cut::kNone;
  const std::unordered_set<Plan> different(plans.begin(), plans.end());
  EXPECT_EQ(different.size(), plans.size());
  std::unordered_set<std::size_t> hashes;
  for (const Plan& one : plans) hashes.insert(std::hash<Plan>{}(one));
  EXPECT_EQ(hashes.size(), plans.size());
}

}  // namespace
}  // namespace frostline::pipeline
