#pragma once

#include "cost/layer_cost.h"
#include "models/layer_description.h"

namespace frostline::cost {

/// The layers' FLOPs for one sample in place of times, to balance a partition where nothing was
/// measured. Only ratios between layers mean anything.
ModelCost flops_as_cost(const models::ModelDescription& model);

}  // namespace frostline::cost
