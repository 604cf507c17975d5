#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "exec/hand_over.h"
#include "exec/parameter.h"
#include "models/torch/learning_task.h"
#include "pipeline/plan.h"
#include "pipeline/rewrite.h"
#include "pipeline/stage.h"
#include "pipeline/units.h"

namespace frostline::exec {

/// What one rank holds on LibTorch: its stages' layers and its ends of the hand-over. Actions are
/// done when `begin` returns; a computation that consumes a received tensor waits for it. Used by
/// its rank's thread alone.
///
/// The first and the last layer of the model see the batch; the layers between see the hidden state
/// alone, whatever the partition.
class RankStage : public pipeline::Stage {
 public:
  /// Builds the layers that `plan` gives to the rank.
  RankStage(const models::LearningTask& task, const pipeline::UnitTable& units,
            const pipeline::Plan& plan, pipeline::Rank rank, HandOver& hand_over,
            std::uint64_t seed);

  /// Takes the plan's masks and sizes; its partition is the first one's (asserted).
  void apply(const pipeline::Plan& plan);
  /// Before the actions of a training step (steps count from 0). The gradients are dropped already.
  void begin_step(std::int64_t step);
  /// Before forward-only actions over the held-out batches, in evaluation mode: masks, gradients
  /// and statistics stay as they are.
  void begin_evaluation(pipeline::Split split);

  /// Mean over the micro-batches of the step, summed in their order; absent where the last stage is
  /// elsewhere.
  std::optional<double> loss() const;
  /// Outputs of the last stage by held-out batch; empty elsewhere.
  std::vector<at::Tensor> take_outputs() { return std::move(outputs_); }

  /// Layers of this rank with their position in the model.
  struct PlacedLayer {
    pipeline::LayerId id;
    std::unique_ptr<models::TorchLayer> layer;
    std::vector<pipeline::UnitId> units;
  };
  std::vector<PlacedLayer>& layers() { return layers_; }
  const std::vector<PlacedLayer>& layers() const { return layers_; }
  /// Learnable tensors of the rank in forward order.
  const Parameters& parameters() const { return parameters_; }

 protected:
  bool begin(const pipeline::Action& action, std::coroutine_handle<> waiting) override;

 private:
  using Key = std::pair<pipeline::StageId, pipeline::MicroBatch>;
  /// What is kept of a forward until its backward.
  struct InFlight {
    at::Tensor input;  ///< a leaf; undefined in the first stage
    at::Tensor root;   ///< where the backward begins: the stage's output, or its share of the loss
  };

  void build(const pipeline::Plan& plan);
  void note_parameters(const PlacedLayer& placed);

  void perform_step(const pipeline::Step& step);
  void forward(pipeline::StageId stage, pipeline::MicroBatch micro_batch);
  void backward(pipeline::StageId stage, pipeline::MicroBatch micro_batch);
  at::Tensor receive_input(pipeline::StageId stage, pipeline::MicroBatch micro_batch);
  at::Tensor run_layers(Key at, at::Tensor hidden, const models::BatchTensors& batch);
  /// Hands the output on, or turns it into outputs or loss in the last stage; returns the root.
  at::Tensor finish_forward(Key at, const at::Tensor& output, const models::BatchTensors& batch);
  at::Tensor note_loss(const at::Tensor& loss, pipeline::MicroBatch micro_batch);
  /// Keeps a tensor for its send, or passes it on if the neighbour is on this rank.
  void ship(const pipeline::Step& send, at::Tensor tensor);

  models::BatchTensors batch_for(Key at) const;
  models::ForwardContext context(const PlacedLayer& placed, Key at, bool keeps_graph) const;
  bool keeps_graph(pipeline::LayerId layer, Key at) const;
  bool has_backward(Key at) const;
  bool is_last(pipeline::StageId stage) const;
  void use_mask(pipeline::MicroBatch micro_batch);

  const models::LearningTask& task_;
  const pipeline::UnitTable& units_;
  pipeline::Rank rank_;
  HandOver& hand_over_;
  std::uint64_t seed_;

  std::vector<PlacedLayer> layers_;  // in forward order
  Parameters parameters_;

  pipeline::Plan plan_;
  std::optional<pipeline::FreezeRules> rules_;
  pipeline::FreezeMask mask_;  // the one that `requires_grad` follows now
  std::int64_t step_ = 0;
  std::optional<pipeline::Split> evaluating_;

  std::map<Key, InFlight> in_flight_;
  std::map<pipeline::Step, at::Tensor> outgoing_;  // by their send
  std::vector<double> losses_;  // one a micro-batch; empty without the last stage
  std::vector<at::Tensor> outputs_;
};

}  // namespace frostline::exec
