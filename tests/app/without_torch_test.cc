#include <gtest/gtest.h>

#include "tests/app/command_runner.h"

namespace frostline::app {
namespace {

TEST(WithoutLibTorch, TrainAndProfileSaySoInOneLine) {
  for (const std::string verb : {"train", "profile"}) {
    const auto result = frostline(verb + " scenarios/quickstart.toml");
    EXPECT_EQ(result.exit_code, 1);
    EXPECT_EQ(result.out, "");
    EXPECT_EQ(result.err,
              "frostline: " + verb +
                  " needs LibTorch and this build has none; build with `./dev build`, or with "
                  "`-Dtorch=DIR`\n");
  }
}

}  // namespace
}  // namespace frostline::app
