#pragma once

#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "exec/hand_over.h"
#include "models/torch/learning_task.h"
#include "pipeline/plan.h"
#include "pipeline/rewrite.h"
#include "pipeline/stage.h"
#include "pipeline/units.h"

namespace frostline::exec {

/// What one rank holds on LibTorch: its stages' layers and its ends of the hand-over. Actions are done when `begin` returns; a
/// computation that consumes a received tensor waits for it. Used by its rank's thread alone.
class RankStage : public pipeline::Stage {
 public:
  RankStage(const models::LearningTask& task, const pipeline::UnitTable& units, pipeline::Rank rank,
            HandOver& hand_over, std::uint64_t seed);

  /// Takes the plan's layers (built at the first call) and its masks: `requires_grad` of every parameter as the mask of the
  /// micro-batch says.
  void apply(const pipeline::Plan& plan);
  /// Before the actions of a training step: drops the gradients of the last one.
  void begin_step(std::int64_t step);
  /// Before forward-only actions over held-out batches in evaluation mode.
  void begin_evaluation(pipeline::Split split);

  /// Sum over the micro-batches of the step of their loss times 1/m; absent where the last stage is elsewhere.
  std::optional<double> loss() const;
  /// Outputs of the last stage by held-out batch; empty elsewhere.
  const std::vector<at::Tensor>& outputs() const { return outputs_; }

  /// Layers of this rank with their position in the model.
  struct PlacedLayer {
    pipeline::LayerId id;
    std::unique_ptr<models::TorchLayer> layer;
  };
  std::vector<PlacedLayer>& layers() { return layers_; }
  /// Learnable tensors of the rank in forward order.
  models::TorchLayer::NamedTensors parameters() const;

 protected:
  bool begin(const pipeline::Action& action, std::coroutine_handle<> waiting) override;

 private:
  struct Key;
  struct InFlight { at::Tensor input, output; };
  std::vector<PlacedLayer> layers_;
  std::vector<at::Tensor> outputs_;
  // the implementation adds what it needs
};

}  // namespace frostline::exec
