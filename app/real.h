#pragma once

#include <filesystem>
#include <functional>
#include <memory>

#include "app/scenario.h"
#include "cost/profile.h"
#include "pipeline/world.h"

namespace frostline::app {

/// A scenario's real world and what only a real one can do.
class RealTraining {
 public:
  virtual ~RealTraining() = default;
  virtual pipeline::World& world() = 0;
  virtual void export_weights(const std::filesystem::path& file) = 0;
};

/// Throws base::Error in a build without LibTorch, before anything is read or written. `verb` is
/// for the message.
void require_libtorch(const char* verb);

std::unique_ptr<RealTraining> make_real_training(const Scenario& scenario);

/// Measures the scenario's layers on this machine.
cost::Profile measure_profile(const Scenario& scenario, int repeats,
                              const std::function<void(double)>& progress);

}  // namespace frostline::app
