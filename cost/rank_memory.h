#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "base/bytes.h"
#include "cost/plan_times.h"
#include "pipeline/plan.h"
#include "pipeline/schedule.h"
#include "pipeline/units.h"

namespace frostline::cost {

/// What a rank holds of activations around one computation.
struct HeldActivations {
  base::Bytes during;  ///< what it makes is there already, what it uses up is there still
  base::Bytes after;
};

using HeldVisitor = std::function<void(std::size_t position, const HeldActivations& held)>;

/// Walks the computations of one rank's list, in its order, which is all that counts: a rank begins
/// none before the one before it has ended. Live from F until B; of a split backward I releases all
/// but what W still needs, and W the rest. What is recomputed B or I makes before it uses it up.
/// The two of an overlapped pair run at the same time.
void visit_held(const std::vector<pipeline::Action>& actions, const PlanTimes& times,
                const HeldVisitor& visit);

/// How much a learnable number takes.
struct MemoryFigures {
  std::int64_t weight_bytes = 4;
  std::int64_t gradient_bytes = 4;
  std::int64_t optimizer_bytes = 8;
  /// The units of which the optimizer holds no state; one entry a unit.
  pipeline::FreezeMask without_state;
};

/// What one rank's device holds in a step, and most of it when. Weights, gradients and optimizer
/// state are there for the whole step; a tied unit is held, once, on each rank that has one of its
/// layers.
struct RankMemory {
  base::Bytes weights;
  base::Bytes gradients;  ///< of the units that train in any micro-batch
  base::Bytes optimizer;
  base::Bytes buffers;  ///< for each neighbour and direction one message, the largest
  base::Bytes caches;   ///< nothing is cached yet
  base::Bytes peak_activations;
  base::Bytes micro_batch;  ///< what one holds of activations with nothing frozen or recomputed
  /// Of the computation, in the rank's list, that first reaches the peak; absent if there is none.
  std::optional<std::size_t> peak_position;

  base::Bytes peak() const {
    return weights + gradients + optimizer + buffers + caches + peak_activations;
  }
};

/// One entry a rank. `schedule` is the plan's executable one, `times` are the plan's.
std::vector<RankMemory> rank_memory(const pipeline::Plan& plan, const pipeline::Schedule& schedule,
                                    const PlanTimes& times, const pipeline::UnitTable& units,
                                    const MemoryFigures& figures);

}  // namespace frostline::cost
