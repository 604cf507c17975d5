#pragma once

#include "cost/layer_cost.h"
#include "pipeline/schedule.h"

namespace frostline::cost {

/// Throws base::Error if a step could take longer than the clock can tell: all of a micro-batch's
/// actions and transfers one after the other, on the slowest rank and link.
void check_step_fits(const ModelCost& cost, const pipeline::PipelineShape& shape);

}  // namespace frostline::cost
