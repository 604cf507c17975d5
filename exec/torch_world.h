#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "models/torch/learning_task.h"
#include "pipeline/units.h"
#include "pipeline/world.h"
#include "policy/train_settings.h"

namespace frostline::exec {

/// A World in real time on LibTorch: one thread a rank in this process. The clock is the wall's.
class TorchWorld : public pipeline::World {
 public:
  /// `task` and `units` must outlive the world.
  TorchWorld(const models::LearningTask& task, const pipeline::UnitTable& units,
             const policy::TrainSettings& settings, int ranks, std::uint64_t seed);
  ~TorchWorld() override;

  pipeline::Report run_steps(const pipeline::Plan& plan, const pipeline::Order& order) override;
  base::Duration transition(const pipeline::Plan& plan) override;
  pipeline::Validation validate(pipeline::Split split) override;
  pipeline::Measure measure() const override;
  base::Duration save(const std::filesystem::path& file, const std::string& loop_state) override;
  std::string load(const std::filesystem::path& file) override;

  /// The learnable tensors and buffers alone, under their global names, as starting weights for
  /// another run.
  void export_weights(const std::filesystem::path& file);

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace frostline::exec
