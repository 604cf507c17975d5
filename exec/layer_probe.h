#pragma once

#include <memory>
#include <string>

#include "exec/figure.h"
#include "exec/optimizer.h"
#include "exec/rank_gradients.h"
#include "models/torch/learning_task.h"

namespace frostline::exec {

/// What was measured of one layer.
struct LayerFigures {
  Figure forward;
  Figure forward_below;    ///< no graph, evaluation mode
  Figure backward;         ///< all weights train
  Figure frozen_backward;  ///< input gradient alone; empty for the first layer
  Figure optimizer;        ///< once a step
  Figure reading;          ///< reading all gradients, once a step

  void add(const LayerFigures& other);
  double largest_spread() const;
};

/// Measures one layer on one rank's thread, the way a step uses it.
class LayerProbe {
 public:
  struct Sizes {
    int micro_batches = 1;
    std::uint64_t seed = 0;
  };
  LayerProbe(const models::LearningTask& task, const policy::TrainSettings& settings,
             pipeline::LayerId id, Sizes sizes);

  /// The layer's output for `hidden`, which is kept as the input of every measurement.
  at::Tensor take_input(const at::Tensor& hidden);
  /// One measurement of each figure.
  void measure();
  /// Forgets what was measured: the warm-up.
  void forget() { figures_ = {}; }
  const LayerFigures& figures() const { return figures_; }

 private:
  at::Tensor forward(const at::Tensor& hidden, bool training);
  at::Tensor fresh_input(bool requires_grad) const;
  /// Forward and backward; either figure may be left out.
  void measure_passes(bool weights_train, Figure* forward_figure, Figure& backward_figure);
  void measure_forward_below();
  void measure_step_end();
  void train_weights(bool train);
  bool is_first() const { return id_.value == 0; }
  bool is_last() const;

  const models::LearningTask& task_;
  pipeline::LayerId id_;
  Sizes sizes_;
  std::unique_ptr<models::TorchLayer> layer_;
  Parameters parameters_;
  RankGradients gradients_;
  std::unique_ptr<Optimizer> optimizer_;
  at::Tensor input_;
  int rounds_ = 0;
  LayerFigures figures_;
};

}  // namespace frostline::exec
