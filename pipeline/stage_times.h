#pragma once

#include <array>
#include <vector>

#include "pipeline/action_times.h"
#include "pipeline/schedule.h"

namespace frostline::pipeline {

/// What evaluators ask of ActionTimes, looked up once a stage where all of its micro-batches take
/// the same: tens of millions of actions then cost a table lookup each.
class StageTimes {
 public:
  /// How a tensor leaves a stage for its neighbour on another rank.
  struct Transfer {
    base::Duration delay{};
    base::Duration occupancy{};  ///< of the way from one rank to the other
  };

  /// `times` outlives it.
  StageTimes(const ActionTimes& times, const PipelineShape& shape);

  base::Duration computation(const Action& action) const {
    if (!uniform_ || action.is_overlap()) return times_->computation(action);
    const Step step = action.first();
    return rows_[step.stage.index()].computation[static_cast<std::size_t>(step.kind)];
  }
  Transfer transfer(const Step& send) const {
    if (!uniform_) return {times_->delay(send), times_->occupancy(send)};
    const Row& row = rows_[send.stage.index()];
    return send.kind == ActionKind::kSendForward ? row.forward : row.backward;
  }

 private:
  struct Row {
    std::array<base::Duration, 4> computation{};  // by ActionKind
    Transfer forward;
    Transfer backward;
  };
  Row row(StageId stage, StageId last) const;

  const ActionTimes* times_;
  bool uniform_;
  std::vector<Row> rows_;  // one a stage, if uniform
};

}  // namespace frostline::pipeline
