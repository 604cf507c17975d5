#include "cost/device_kind.h"

#include <gtest/gtest.h>

namespace frostline::cost {
namespace {

TEST(DeviceKind, SustainsAShareOfItsPeak) {
  EXPECT_DOUBLE_EQ(find_device("h200").sustained_flop_s(), 989e12 * 0.47);
  EXPECT_DOUBLE_EQ(find_device("a100").sustained_flop_s(), 312e12 * 0.52);
  EXPECT_EQ(find_device("cpu_core").precision, "fp32");
  EXPECT_EQ(find_device("v100").precision, "fp16");
}

TEST(DeviceKind, IsFoundByEveryNameAndSound) {
  ASSERT_EQ(device_names().size(), 7U);
  for (const std::string& name : device_names()) {
    const DeviceKind& kind = find_device(name);
    EXPECT_EQ(kind.name, name);
    EXPECT_GT(kind.sustained_share, 0.1) << name;
    EXPECT_LT(kind.sustained_share, 1.0) << name;
    // At least a second to read all of the memory would be no working device.
    EXPECT_LT(static_cast<double>(kind.memory.count), kind.memory_bytes_s) << name;
    EXPECT_GT(kind.peak_flop_s, kind.memory_bytes_s) << name;
  }
}

}  // namespace
}  // namespace frostline::cost
