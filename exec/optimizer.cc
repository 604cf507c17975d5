#include "exec/optimizer.h"

#include <fmt/format.h>

#include "base/error.h"
#include "exec/adam.h"
#include "exec/sgd.h"

namespace frostline::exec {

std::unique_ptr<Optimizer> make_optimizer(const policy::TrainSettings& settings,
                                          const Parameters& parameters) {
  if (settings.optimizer == "sgd") return std::make_unique<Sgd>(settings, parameters);
  if (settings.optimizer == "adam") {
    return std::make_unique<Adam>(settings, parameters, WeightDecay::kIntoGradient);
  }
  if (settings.optimizer == "adamw") {
    return std::make_unique<Adam>(settings, parameters, WeightDecay::kDecoupled);
  }
  throw base::Error(fmt::format("train.optimizer = \"{}\" is not known; use sgd, adam or adamw",
                                settings.optimizer));
}

}  // namespace frostline::exec
