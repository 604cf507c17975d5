#include "app/timeline_picture.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace frostline::app {
namespace {

using pipeline::Span;
using testing::HasSubstr;

Span span(int rank, const char* action, int start, int end) {
  return {{rank}, pipeline::parse_action(action), base::Duration(start), base::Duration(end)};
}

bool is_of_stage_0(const pipeline::Step& step) { return step.stage == pipeline::StageId{0}; }

// 7 columns of label and 20 of 1 ns each.
TEST(TimelinePicture, EachComputationTakesItsColumns) {
  const pipeline::Timeline timeline{
      2,
      {span(0, "0F0", 10, 14), span(0, "0I0", 22, 26), span(0, "0W0", 26, 30),
       span(1, "1F0", 14, 18), span(1, "1B0", 18, 22)}};
  EXPECT_EQ(timeline_picture(timeline, {27, false, {}}),
            "rank 0 F0==........I0==W0==\n"
            "rank 1 ....F0==B0==........\n"
            "       0              20 ns\n"
            "F forward, B backward, I input gradient, W weight gradient, . idle\n"
            "a column is 1 ns and shows what runs in its middle\n");
}

TEST(TimelinePicture, FrozenStagesStandInSmallLetters) {
  const pipeline::Timeline timeline{
      2, {span(0, "0F0", 0, 10), span(0, "0I0", 14, 20), span(1, "1F0", 10, 14)}};
  const auto picture = timeline_picture(timeline, {27, false, is_of_stage_0});
  EXPECT_THAT(picture, HasSubstr("rank 0 f0--------....i0----\nrank 1 ..........F0==......\n"));
  EXPECT_THAT(picture, HasSubstr("F forward, f forward of a frozen stage, i input gradient of a "
                                 "frozen stage, . idle\n"));
}

// 20 columns of 2 ns: 3 ns have one or two columns, and 1 ns none if it misses a middle.
TEST(TimelinePicture, ShortComputationsKeepTheirLetterOrVanish) {
  const pipeline::Timeline timeline{
      1, {span(0, "0F10", 0, 3), span(0, "0F11", 4, 5), span(0, "0B10", 5, 40)}};
  EXPECT_THAT(timeline_picture(timeline, {27, false, {}}),
              HasSubstr("rank 0 F.B10===============\n"));
}

TEST(TimelinePicture, SeveralStagesOnARankAreNamed) {
  const pipeline::Timeline timeline{
      1, {span(0, "0F0", 0, 5), span(0, "(1F0;2B1)OVERLAP_F_B", 5, 15), span(0, "1B0", 15, 20)}};
  EXPECT_THAT(timeline_picture(timeline, {27, false, {}}),
              HasSubstr("rank 0 0F0==1F02B1====1B0==\n"));
}

TEST(TimelinePicture, ColoursFollowTheKindAndWhetherItIsFrozen) {
  const pipeline::Timeline timeline{
      2, {span(0, "0F0", 0, 10), span(1, "1F0", 10, 18), span(1, "1B0", 18, 20)}};
  EXPECT_THAT(timeline_picture(timeline, {27, true, is_of_stage_0}),
              HasSubstr("rank 0 \033[2;34mf0--------\033[0m..........\n"
                        "rank 1 ..........\033[97;44mF0======\033[0m\033[30;42mB0\033[0m\n"));
}

TEST(TimelinePicture, OfManyRanksTheFirstAndLastAreDrawn) {
  const pipeline::Timeline timeline{1000, {span(999, "999F0", 0, 5)}};
  const auto picture = timeline_picture(timeline, {40, false, {}});
  EXPECT_THAT(picture,
              HasSubstr("rank 19  ...............................\n... 960 more ranks ...\n"
                        "rank 980"));
  EXPECT_EQ(std::count(picture.begin(), picture.end(), '\n'), 44);
}

TEST(TimelinePicture, NothingIsDrawnOfNothing) {
  EXPECT_THAT(timeline_picture({1, {}}, {10, false, {}}), HasSubstr("rank 0 ..........\n"));
}

}  // namespace
}  // namespace frostline::app
