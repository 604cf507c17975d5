#pragma once

#include "cost/layer_cost.h"
#include "pipeline/partition.h"
#include "pipeline/schedules/registry.h"
#include "pipeline/settings.h"
#include "pipeline/units.h"

namespace frostline::cost {

/// What the schedule of these settings is made from: the stages' times and activations with nothing
/// frozen, of which each duration is rounded as in PlanTimes; activations are those without
/// recomputation, which exceed the others. `cost`, `units` and `partition` are
/// of the same layers, the partition of the settings' stages (asserted).
pipeline::ScheduleRequest schedule_request(const ModelCost& cost, const pipeline::UnitTable& units,
                                           const pipeline::Partition& partition,
                                           const pipeline::PipelineSettings& settings);

}  // namespace frostline::cost
