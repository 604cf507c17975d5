#pragma once

#include <functional>
#include <memory>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "base/safetensors.h"
#include "exec/optimizer.h"
#include "exec/rank_gradients.h"
#include "exec/rank_stage.h"
#include "policy/train_settings.h"

namespace frostline::exec {

/// What the ranks read of a step's gradients, shared by all of them: each writes entries of its
/// own.
struct StepReadings {
  std::vector<pipeline::UnitId> units;          ///< observed
  std::vector<policy::GradientSample> samples;  ///< one a unit observed
  bool running_sums = false;                    ///< add the gradients up over the judging step
  bool norm = false;                            ///< read the squares of all gradients
  std::vector<double> squares;                  ///< one a layer of the model
};

/// One rank's work, all of it on the rank's thread while a command runs; between commands the
/// controller may look.
class Worker {
 public:
  /// Builds what `plan` gives to the rank.
  Worker(const models::LearningTask& task, const pipeline::UnitTable& units,
         const policy::TrainSettings& settings, const pipeline::Plan& plan, pipeline::Rank rank,
         HandOver& hand_over, std::uint64_t seed);

  void apply(const pipeline::Plan& plan) { stage_.apply(plan); }
  /// The rank's part of a step (steps count from 0) up to its gradients, and what is read of them.
  void accumulate(std::int64_t step, std::span<const pipeline::Action> actions,
                  StepReadings& readings);
  /// The rest of the step: gradients times `scale`, then the optimizer.
  void update(double scale, double learning_rate);
  /// The rank's part of a forward over the held-out batches.
  void evaluate(pipeline::Split split, std::span<const pipeline::Action> actions);

  RankStage& stage() { return stage_; }
  RankGradients& gradients() { return gradients_; }
  /// Weights, gradients and optimizer state.
  base::Bytes memory() const;

  using Visitor = std::function<void(const std::string& name, const at::Tensor& tensor)>;
  /// Parameters and buffers under their global names.
  void visit_weights(const Visitor& visitor) const;
  /// Those, the optimizer's state and the running sums of gradients.
  void visit_all(const Visitor& visitor) const;
  /// Sets what `visit_all` names from a file that may hold other ranks' tensors too. Returns the
  /// names that are this rank's. Throws base::Error for one that is missing or of another shape.
  std::set<std::string> restore(const base::TensorFile& file, const std::string& source);

 private:
  void walk(std::span<const pipeline::Action> actions);
  void read(StepReadings& readings);
  void restore_optimizer(const base::TensorFile& file, const std::string& source);
  void restore_running_sums(const base::TensorFile& file);

  RankStage stage_;
  RankGradients gradients_;
  std::unique_ptr<Optimizer> optimizer_;
};

}  // namespace frostline::exec
