#pragma once

#include <functional>

#include "cost/profile.h"
#include "models/torch/learning_task.h"
#include "policy/train_settings.h"

namespace frostline::exec {

/// Measures what each layer of the task costs for one micro-batch with all ranks busy at once, as in a real step: forward with and without a
/// graph, input gradient, weight gradient, frozen backward, optimizer; and per step: clip norm and reading gradients; and one validation. Layers of
/// the same kind share their figures. Figures are medians over `repeats` interleaved rounds. `progress` is told the share done, 0..1.
cost::Profile profile_task(const models::LearningTask& task, const policy::TrainSettings& settings, int ranks,
                           int micro_batches, int repeats, const std::function<void(double)>& progress);

}  // namespace frostline::exec
