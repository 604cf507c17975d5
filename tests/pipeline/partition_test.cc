#include "pipeline/partition.h"

#include <gtest/gtest.h>

#include "tests/pipeline/samples.h"

namespace frostline::pipeline {
namespace {

TEST(Partition, KnowsTheLayersOfEachStage) {
  const Partition partition({2, 1, 3});
  EXPECT_EQ(partition.stages(), 3);
  EXPECT_EQ(partition.layers(), 6);
  EXPECT_EQ(partition.first({2}), LayerId{3});
  EXPECT_EQ(partition.end({2}), LayerId{6});
  EXPECT_EQ(partition.text(), "2+1+3");
  std::vector<int> stages;
  for (const LayerId layer : base::ids<LayerId>(6))
    stages.push_back(partition.stage_of(layer).value);
  EXPECT_EQ(stages, (std::vector{0, 0, 1, 2, 2, 2}));
}

TEST(Partition, OfNothingIsEmpty) {
  EXPECT_EQ(Partition().stages(), 0);
  EXPECT_EQ(Partition().layers(), 0);
  EXPECT_EQ(Partition().text(), "");
}

TEST(Partition, EvenPutsTheLargerStagesFirst) {
  EXPECT_EQ(Partition::even(8, 2).text(), "4+4");
  EXPECT_EQ(Partition::even(11, 4).text(), "3+3+3+2");
  EXPECT_EQ(Partition::even(3, 3).text(), "1+1+1");
}

TEST(Partition, ErrorsSayTheRuleAndTheMend) {
  EXPECT_EQ(error_of([] { Partition::even(4, 6); }), "6 stages do not fit 4 layers; use at most 4");
  EXPECT_EQ(error_of([] { Partition::even(4, 0); }),
            "a partition into 0 stages is impossible; use at least 1");
  EXPECT_EQ(error_of([] { Partition({3, 0}); }),
            "stage 1 of a partition has 0 layers; give every stage at least 1");
}

}  // namespace
}  // namespace frostline::pipeline
