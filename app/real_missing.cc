#include <fmt/core.h>

#include "app/real.h"
#include "base/error.h"

namespace frostline::app {

void require_libtorch(const char* verb) {
  throw base::Error(
      fmt::format("{} needs LibTorch and this build has none; build with `./dev build`, or with "
                  "`-Dtorch=DIR`",
                  verb));
}

std::unique_ptr<RealTraining> make_real_training(const Scenario&) {
  require_libtorch("train");
  return nullptr;
}

cost::Profile measure_profile(const Scenario&, int, const std::function<void(double)>&) {
  require_libtorch("profile");
  return {};
}

}  // namespace frostline::app
