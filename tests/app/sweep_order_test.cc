#include "app/sweep_order.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"

namespace frostline::app {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

TEST(ParseVariation, CommasWithinQuotesAndBracketsBelongToAValue) {
  using Values = std::vector<std::string>;
  const std::vector<std::pair<const char*, Values>> cases{
      {"a.b=1", {"1"}},
      {" a.b = x , y", {"x", "y"}},
      {"a.b=[1,2],[2, [1, 3]]", {"[1,2]", "[2, [1, 3]]"}},
      {R"(a.b="x,y",'z,"',w)", {R"("x,y")", R"('z,"')", "w"}},
      {R"(a.b="x\",y",z)", {R"("x\",y")", "z"}},
      {"a.b=['x]',2],3", {"['x]',2]", "3"}},
      {"a.b=x=1,y", {"x=1", "y"}},
  };
  for (const auto& [text, values] : cases)
    EXPECT_EQ(parse_variation(text), (Variation{"a.b", values})) << text;
}

std::string problem_of(const std::vector<std::string>& texts) {
  try {
    parse_variations(texts);
  } catch (const base::InvalidInput& error) {
    return error.problems().at(0).text();
  }
  return "";
}

TEST(ParseVariation, MalformedOnesSayHowToMendThem) {
  EXPECT_THAT(problem_of({"a.b"}), HasSubstr("use section.key=value,value,..."));
  EXPECT_THAT(problem_of({"=1"}), HasSubstr("gives no values to a key"));
  EXPECT_THAT(problem_of({"a.b="}), HasSubstr("empty value"));
  EXPECT_THAT(problem_of({"a.b=1,,2"}), HasSubstr("empty value"));
  EXPECT_THAT(problem_of({"a.b=1,2,1"}), HasSubstr("has 1 twice"));
  EXPECT_THAT(problem_of({"a.b=1", "a.c=1", "a.b=2"}), HasSubstr("a.b is varied twice"));
}

TEST(ParseVariation, TooManyCombinationsAreRefusedBeforeTheyFillTheMemory) {
  std::string thousand = "=0";
  for (int i = 1; i < 1000; ++i) thousand += "," + std::to_string(i);
  EXPECT_EQ(problem_of({"a" + thousand}), "");
  EXPECT_THAT(problem_of({"a" + thousand, "b" + thousand, "c" + thousand, "d" + thousand}),
              HasSubstr("more than 100000 combinations"));
}

TEST(Combinations, TheLastVariationChangesFastest) {
  EXPECT_THAT(combinations({{"a", {"1", "2"}}, {"b", {"x", "y", "z"}}}),
              ElementsAre(ElementsAre("1", "x"), ElementsAre("1", "y"), ElementsAre("1", "z"),
                          ElementsAre("2", "x"), ElementsAre("2", "y"), ElementsAre("2", "z")));
}

}  // namespace
}  // namespace frostline::app
