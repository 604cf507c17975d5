#include "cost/object_reader.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/base/throws.h"

namespace frostline::cost {
namespace {

using ::testing::HasSubstr;

const std::filesystem::path kFile = "figures.json";

template <class Action>
std::string error_of(const char* text, const Action& action) {
  const Json json = Json::parse(text);
  return base::message_of([&] {
    ObjectReader reader(kFile, "layers[3]", json);
    action(reader);
  });
}

std::string integer_error(const char* text) {
  return error_of(text, [](ObjectReader& reader) { reader.integer("n", -2, 5); });
}

TEST(ObjectReader, TakesWhatIsAllowed) {
  const Json json = Json::parse(R"({"a": 2, "b": -2, "c": "x", "d": [1], "e": 0.5})");
  ObjectReader reader(kFile, "", json);
  EXPECT_EQ(reader.number("a", 2), 2);
  EXPECT_EQ(reader.integer("b", -2, 5), -2);
  EXPECT_EQ(reader.word("c"), "x");
  EXPECT_EQ(reader.list("d").size(), 1U);
  EXPECT_THAT(base::message_of([&] { reader.reject_rest(); }),
              HasSubstr("figures.json: e is not a key"));
  EXPECT_EQ(reader.number("e", 1), 0.5);
  EXPECT_EQ(base::message_of([&] { reader.reject_rest(); }), "");
}

TEST(ObjectReader, RefusesIntegersOutOfRange) {
  EXPECT_EQ(integer_error(R"({"n": 6})"),
            "figures.json: layers[3].n = 6 is not allowed; use an integer between -2 and 5");
  EXPECT_THAT(integer_error(R"({"n": -3})"), HasSubstr("layers[3].n = -3"));
  EXPECT_THAT(integer_error(R"({"n": 18446744073709551614})"), HasSubstr("is not allowed"));
  EXPECT_THAT(integer_error(R"({"n": 1.0})"), HasSubstr("layers[3].n = 1.0"));
  EXPECT_THAT(integer_error(R"({})"), HasSubstr("layers[3].n is missing"));
}

TEST(ObjectReader, RefusesEmptyStringsAndLists) {
  EXPECT_THAT(error_of(R"({"s": ""})", [](ObjectReader& reader) { reader.word("s"); }),
              HasSubstr("layers[3].s = \"\" is not allowed; use a string that is not empty"));
  EXPECT_THAT(error_of(R"({"s": []})", [](ObjectReader& reader) { reader.list("s"); }),
              HasSubstr("use a list of at least one element"));
}

TEST(ObjectReader, ShortensLongValues) {
  const std::string text = "{\"s\": \"" + std::string(100, 'x') + "\"}";
  EXPECT_EQ(error_of(text.c_str(), [](ObjectReader& reader) { reader.list("s"); }),
            "figures.json: layers[3].s = \"" + std::string(36, 'x') +
                "... is not allowed; use a list of at least one element");
}

}  // namespace
}  // namespace frostline::cost
