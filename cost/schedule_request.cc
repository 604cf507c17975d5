#include "cost/schedule_request.h"

#include "cost/plan_times.h"
#include "cost/stage_cost.h"

namespace frostline::cost {
namespace {

using pipeline::ActionKind;
using pipeline::FreezeMask;
using pipeline::FreezePlan;
using pipeline::MicroBatch;
using pipeline::PipelineShape;
using pipeline::StageFigures;
using pipeline::StageId;

constexpr MicroBatch kAny{0};

/// Times do not depend on the order of the actions.
pipeline::Plan without_order(const PipelineShape& shape, const pipeline::Partition& partition,
                             const pipeline::UnitTable& units) {
  return {.schedule = pipeline::Schedule{"", shape, looped_placement(shape), {}},
          .partition = partition,
          .freeze = FreezePlan(FreezeMask(units.size()))};
}

StageFigures stage_figures(const PlanTimes& times, StageId stage) {
  const auto time = [&](ActionKind kind) { return times.computation({kind, stage, kAny}); };
  return {time(ActionKind::kForward), time(ActionKind::kInputGradient),
          time(ActionKind::kWeightGradient), times.full_activation(stage),
          times.activation_after_input_gradient(stage, kAny)};
}

}  // namespace

pipeline::ScheduleRequest schedule_request(const ModelCost& cost, const pipeline::UnitTable& units,
                                           const pipeline::Partition& partition,
                                           const pipeline::PipelineSettings& settings) {
  pipeline::ScheduleRequest request = settings.request();
  const PlanTimes times(cost, units, without_order(request.shape, partition, units));
  for (const StageId stage : base::ids<StageId>(request.shape.stages())) {
    request.stages.push_back(stage_figures(times, stage));
  }
  request.send = rounded(cost.send_ns);
  return request;
}

}  // namespace frostline::cost
