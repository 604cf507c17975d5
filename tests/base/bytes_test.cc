#include "base/bytes.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <string>

namespace frostline::base {
namespace {

TEST(Bytes, ReadAsBinaryMultiples) {
  struct Row {
    std::int64_t count;
    std::string text;
  };
  const Row rows[] = {{0, "0 B"},
                      {512, "512 B"},
                      {1023, "1023 B"},
                      {1024, "1.00 KiB"},
                      {1536 * 1024, "1.50 MiB"},
                      {1024 * 1024 - 1, "1.00 MiB"},
                      {std::int64_t{9} << 28, "2.25 GiB"},
                      {-2048, "-2.00 KiB"},
                      {std::numeric_limits<std::int64_t>::max(), "8.00 EiB"}};
  for (const Row& row : rows) EXPECT_EQ(to_text(Bytes{row.count}), row.text);
}

TEST(Bytes, Calculate) {
  EXPECT_EQ(Bytes{2} + Bytes{3}, Bytes{5});
  EXPECT_EQ(Bytes{2} - Bytes{3}, Bytes{-1});
  EXPECT_EQ(Bytes{2} * 3, Bytes{6});
  EXPECT_LT(Bytes{2}, Bytes{3});
}

}  // namespace
}  // namespace frostline::base
