#include "base/time.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>
#include <limits>
#include <stdexcept>
#include <string>

namespace frostline::base {
namespace {

using std::chrono::nanoseconds;

TEST(FromMs, RoundsHalvesAwayFromZero) {
  struct Row {
    double ms;
    std::int64_t nanoseconds;
  };
  const Row rows[] = {{0, 0},
                      {-0.0, 0},
                      {1, 1'000'000},
                      {0.1, 100'000},
                      {0.4e-6, 0},
                      {0.6e-6, 1},
                      {0.000244140625, 244},              // 2^-12 ms = 244.140625 ns
                      {0.0078125 / 1024 / 1024 * 64, 0},  // 2^-21 ms = 0.4768 ns
                      {0.0009765625 * 0.5, 488},          // 2^-11 ms = 488.28125 ns
                      {0.0078125, 7813},                  // 2^-7 ms = 7812.5 ns
                      {0.0234375, 23438},                 // 3/128 ms = 23437.5 ns
                      {999'999'999.999999, 999'999'999'999'999}};
  for (const Row& row : rows) EXPECT_EQ(from_ms(row.ms).count(), row.nanoseconds) << row.ms;
}

TEST(FromMs, RefusesWhatIsNoDuration) {
  const double infinity = std::numeric_limits<double>::infinity();
  for (double ms : {-1.0, -1e-300, kLongestMs, 1e300, infinity, -infinity, std::nan("")}) {
    EXPECT_THROW(from_ms(ms), std::domain_error) << ms;
  }
  try {
    from_ms(-1.5);
    FAIL();
  } catch (const std::domain_error& error) {
    EXPECT_STREQ(error.what(),
                 "-1.5 ms is no duration; use a finite number, at least 0 and below 1000000000");
  }
}

TEST(ToMs, AndSeconds) {
  EXPECT_DOUBLE_EQ(to_ms(nanoseconds(1'234'000)), 1.234);
  EXPECT_DOUBLE_EQ(to_seconds(nanoseconds(-1'500'000'000)), -1.5);
}

RC_GTEST_PROP(TimeProperty, MillisecondsRoundTrip, ()) {
  const auto count = *rc::gen::inRange<std::int64_t>(0, 1'000'000'000'000'000);
  RC_ASSERT(from_ms(to_ms(nanoseconds(count))).count() == count);
}

TEST(ToText, IsForPeople) {
  struct Row {
    std::int64_t nanoseconds;
    std::string text;
  };
  const Row rows[] = {{0, "0 s"},
                      {1, "1 ns"},
                      {999, "999 ns"},
                      {1'500, "1.5 us"},
                      {1'234'000, "1.234 ms"},
                      {999'940'000, "999.9 ms"},
                      {999'960'000, "1 s"},
                      {12'500'000'000, "12.5 s"},
                      {59'994'000'000, "59.99 s"},
                      {59'996'000'000, "1 min 0 s"},
                      {119'600'000'000, "2 min 0 s"},
                      {200'000'000'000, "3 min 20 s"},
                      {3'599'600'000'000, "1 h 0 min"},
                      {7'500'000'000'000, "2 h 5 min"},
                      {-1'234'000, "-1.234 ms"}};
  for (const Row& row : rows) EXPECT_EQ(to_text(nanoseconds(row.nanoseconds)), row.text);
}

}  // namespace
}  // namespace frostline::base
