#pragma once

#include <vector>

#include "cost/layer_cost.h"
#include "pipeline/freeze_mask.h"
#include "pipeline/partition.h"
#include "pipeline/plan.h"

namespace frostline::cost {

/// The partition into contiguous runs that minimises the slowest stage's time (forward and backward
/// of one micro-batch) under a mask and a cut: exact, by dynamic programming over (layer, stage).
/// With one stage a rank that is the slowest rank's time.
///
/// `slowness` has one factor a stage, above 0: by how much longer its device takes than `cost`
/// says. Times are rounded as in PlanTimes. Among equals the partition whose first stage ends
/// earliest; the stages after it are in turn the best partition of the layers after it. Throws
/// base::Error if there are fewer layers than stages.
pipeline::Partition balanced_partition(const ModelCost& cost, const pipeline::UnitTable& units,
                                       const pipeline::FreezeMask& mask, pipeline::Cut cut,
                                       const std::vector<double>& slowness);

/// On equal devices, with cut "prefix".
pipeline::Partition balanced_partition(const ModelCost& cost, const pipeline::UnitTable& units,
                                       const pipeline::FreezeMask& mask, int stages);

}  // namespace frostline::cost
