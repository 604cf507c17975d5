#include "pipeline/stage_times.h"

namespace frostline::pipeline {

StageTimes::StageTimes(const ActionTimes& times, const PipelineShape& shape)
    : times_(&times), uniform_(times.uniform()) {
  if (!uniform_) return;
  const StageId last{shape.stages() - 1};
  for (const StageId stage : base::ids<StageId>(shape.stages())) rows_.push_back(row(stage, last));
}

StageTimes::Row StageTimes::row(StageId stage, StageId last) const {
  Row row;
  const MicroBatch any{0};
  for (const auto kind : {ActionKind::kForward, ActionKind::kBackward, ActionKind::kInputGradient,
                          ActionKind::kWeightGradient}) {
    row.computation[static_cast<std::size_t>(kind)] =
        times_->computation(Action(kind, stage, any));
  }
  const auto transfer = [&](ActionKind kind) {
    const Step send{kind, stage, any};
    return Transfer{times_->delay(send), times_->occupancy(send)};
  };
  if (stage != last) row.forward = transfer(ActionKind::kSendForward);
  if (stage.value > 0) row.backward = transfer(ActionKind::kSendBackward);
  return row;
}

}  // namespace frostline::pipeline
