#include "exec/figure.h"

#include <gtest/gtest.h>

namespace frostline::exec {
namespace {

Figure of(const std::vector<double>& samples) {
  Figure figure;
  for (const double sample : samples) figure.add(sample);
  return figure;
}

TEST(Figure, IsTheMedian) {
  EXPECT_EQ(Figure().median(), 0);
  EXPECT_EQ(of({5}).median(), 5);
  EXPECT_EQ(of({9, 1, 5}).median(), 5);
  EXPECT_EQ(of({9, 1, 5, 3}).median(), 4);
}

TEST(Figure, SpreadIsTheQuartilesDistanceOverTheMedian) {
  EXPECT_EQ(Figure().spread(), 0);
  EXPECT_EQ(of({3, 1, 2, 5, 4}).spread(), 2.0 / 3);  // quartiles 2 and 4
}

TEST(Figure, TakesInAnother) {
  Figure figure = of({1, 2});
  figure.add(of({9}));
  EXPECT_EQ(figure.median(), 2);
}

}  // namespace
}  // namespace frostline::exec
