#pragma once

#include "cost/layer_cost.h"
#include "pipeline/freeze_mask.h"
#include "pipeline/partition.h"
#include "pipeline/plan.h"

namespace frostline::cost {

/// The partition into contiguous runs that minimises the slowest stage's time a micro-batch under a
/// mask: exact, by dynamic programming over (layer, stage), the earliest split among equals.
pipeline::Partition balanced_partition(const ModelCost& cost, const pipeline::UnitTable& units,
                                       const pipeline::FreezeMask& mask, int stages);

}  // namespace frostline::cost
