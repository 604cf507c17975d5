#include "pipeline/runner.h"

namespace frostline::pipeline {

Task run_schedule(Stage& stage, std::span<const Action> actions) {
  for (const Action& action : actions) co_await stage.perform(action);
}

}  // namespace frostline::pipeline
