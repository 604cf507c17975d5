#pragma once

#include "cost/layer_cost.h"
#include "pipeline/plan.h"
#include "pipeline/units.h"

namespace frostline::sim {

/// A model, what it costs, and a plan for it.
struct RandomPlan {
  cost::ModelCost cost;
  pipeline::UnitTable units;
  pipeline::Plan plan;
};

/// Drawn by RapidCheck: GPipe, 1F1B or any legal order of several chunks with split and whole
/// backwards and overlapped pairs; any partition, masks (also one a micro-batch), cuts, times and
/// delays; units of whole layers or of tensors, some tied.
RandomPlan draw_plan();

}  // namespace frostline::sim
