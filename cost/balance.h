#pragma once

#include "cost/layer_cost.h"
#include "pipeline/freeze_mask.h"
#include "pipeline/partition.h"
#include "pipeline/plan.h"

namespace frostline::cost {

/// The partition into contiguous runs that minimises the slowest stage's time (forward and backward
/// of one micro-batch) under a mask with cut "prefix": exact, by dynamic programming over (layer,
/// stage). Among equals the one whose first stage ends earliest; the stages after it are in turn
/// the best partition of the layers after it. Throws base::Error if there are fewer layers than
/// stages.
pipeline::Partition balanced_partition(const ModelCost& cost, const pipeline::UnitTable& units,
                                       const pipeline::FreezeMask& mask, int stages);

}  // namespace frostline::cost
