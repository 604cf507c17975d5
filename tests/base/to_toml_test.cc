#include "base/to_toml.h"

#include <gtest/gtest.h>

#include <limits>

namespace frostline::base {
namespace {

TEST(ToToml, Scalars) {
  EXPECT_EQ(to_toml(true), "true");
  EXPECT_EQ(to_toml(false), "false");
  EXPECT_EQ(to_toml(std::int64_t{-3}), "-3");
  EXPECT_EQ(to_toml("a"), "\"a\"");
  EXPECT_EQ(to_toml(std::filesystem::path("/a b")), "\"/a b\"");
}

TEST(ToToml, NumbersHaveAPointOrAnExponent) {
  EXPECT_EQ(to_toml(1.0), "1.0");
  EXPECT_EQ(to_toml(-0.0), "-0.0");
  EXPECT_EQ(to_toml(0.1), "0.1");
  EXPECT_EQ(to_toml(1e-9), "1e-09");
  EXPECT_EQ(to_toml(1e300), "1e+300");
  EXPECT_EQ(to_toml(std::numeric_limits<double>::infinity()), "inf");
  EXPECT_EQ(to_toml(-std::numeric_limits<double>::quiet_NaN()), "nan");
}

TEST(ToToml, StringsAreEscaped) {
  EXPECT_EQ(to_toml("a\"b\\c"), R"("a\"b\\c")");
  EXPECT_EQ(to_toml("\b\t\n\f\r"), R"("\b\t\n\f\r")");
  EXPECT_EQ(to_toml("\x01\x7f"), R"("\u0001\u007F")");
  EXPECT_EQ(to_toml("ä"), "\"ä\"");
}

TEST(ToToml, Lists) {
  EXPECT_EQ(to_toml(Integers{}), "[]");
  EXPECT_EQ(to_toml(Integers{1, 2}), "[1, 2]");
  EXPECT_EQ(to_toml(Numbers{1, 0.5}), "[1.0, 0.5]");
  EXPECT_EQ(to_toml(Words{"a", "b"}), R"(["a", "b"])");
}

TEST(ToToml, Alternatives) {
  using Either = std::variant<std::string, Integers>;
  EXPECT_EQ(to_toml(Either("all")), "\"all\"");
  EXPECT_EQ(to_toml(Either(Integers{1})), "[1]");
}

}  // namespace
}  // namespace frostline::base
