#pragma once

#include "base/time.h"
#include "cost/layer_cost.h"
#include "cost/unit_shares.h"
#include "pipeline/freeze_mask.h"
#include "pipeline/rewrite.h"

namespace frostline::cost {

/// A contiguous run of layers that makes a stage, and what of its backward is left.
struct StageWork {
  pipeline::LayerId first;
  pipeline::LayerId end;  ///< one past the last
  pipeline::BackwardNeed need = pipeline::BackwardNeed::kFull;
  pipeline::LayerId first_backward;  ///< layers before it go forward only; `end` if all do
};

/// The work of one stage of a plan for one micro-batch.
StageWork stage_work(const pipeline::Partition& partition, const pipeline::FreezeRules& rules,
                     pipeline::StageId stage, pipeline::MicroBatch micro_batch);

/// What a stage costs for one micro-batch, in nanoseconds before rounding.
struct StageCost {
  double forward_ns = 0;
  double input_gradient_ns = 0;
  double weight_gradient_ns = 0;
  double overlapped = 1;   ///< part of its time that each half of an overlapped pair takes
  base::Bytes activation;  ///< held from F until the backward
  base::Bytes after_input_gradient;  ///< the part still held between I and W
  base::Bytes recomputed;            ///< made anew, and held, by B or I on top of `activation`

  double backward_ns() const { return input_gradient_ns + weight_gradient_ns; }
  /// Multiplies all times, on a device that is slower than the figures'.
  void take_longer(double factor);
};

/// With recomputation F keeps no graph, and costs what it does below the frost line; `activation`
/// is the input of the first layer with a backward; I, or B, costs the forward from there too. Of
/// layer 0 the input is the batch, which counts as nothing.
StageCost stage_cost(const ModelCost& cost, const UnitShares& shares, const StageWork& work,
                     const pipeline::FreezeMask& mask);

/// The one place where durations are rounded: to the nearest nanosecond, halves away from zero.
base::Duration rounded(double nanoseconds);

}  // namespace frostline::cost
