#include "base/id.h"

#include <gtest/gtest.h>

#include <type_traits>
#include <unordered_set>
#include <vector>

namespace frostline::base {
namespace {

static_assert(!std::is_convertible_v<Rank, StageId>);

TEST(Id, RangesCountFromZero) {
  std::vector<int> seen;
  for (const Rank rank : ids<Rank>(3)) seen.push_back(rank.value);
  EXPECT_EQ(seen, (std::vector{0, 1, 2}));
}

TEST(Id, RangesThatEndBeforeTheyBeginAreEmpty) {
  for (const Rank rank : ids<Rank>(-1)) FAIL() << rank.value;
  for (const Rank rank : IdRange<Rank>(3, 2)) FAIL() << rank.value;
}

TEST(Id, StepsAndCompares) {
  EXPECT_EQ(Rank{1}.next(), Rank{2});
  EXPECT_EQ(Rank{1}.previous(), Rank{0});
  EXPECT_LT(Rank{1}, Rank{2});
  EXPECT_EQ(Rank{4}.index(), 4U);
}

TEST(Id, IsAKeyOfUnorderedContainers) {
  const std::unordered_set<LayerId> layers{{1}, {2}, {1}};
  EXPECT_EQ(layers.size(), 2U);
}

}  // namespace
}  // namespace frostline::base
