#pragma once

#include <functional>

#include "cost/profile.h"
#include "models/torch/learning_task.h"
#include "policy/train_settings.h"

namespace frostline::exec {

/// Measures what each layer of the task costs for one micro-batch with all ranks busy at once, as
/// in a real step: forward with and without a graph, backward with the weights trained and frozen,
/// optimizer; and per step what comes on top; and one hand-over and one validation. Layers of the
/// same kind and shapes share their figures, the medians over all ranks and `repeats` interleaved
/// rounds. `progress` is told the share done, 0..1.
///
///  * The first and the last layer's forward include making the batch, the last one's the loss.
///  * Input gradient and frozen backward are the backward with the weights frozen; the weight
///    gradient is what a full backward takes beyond it. The first layer has no input gradient: its
///    whole backward counts as weight gradient.
///  * Between I and W all of a layer's activation is held: the backward is not split.
///
/// Throws base::Error where the batch does not divide into micro-batches, or the model has fewer
/// layers than there are ranks.
cost::Profile profile_task(const models::LearningTask& task, const policy::TrainSettings& settings,
                           int ranks, int micro_batches, int repeats,
                           const std::function<void(double)>& progress);

}  // namespace frostline::exec
