#pragma once

#include <map>
#include <utility>
#include <vector>

#include "pipeline/schedule.h"

namespace frostline::pipeline {

/// One rank's list while it is being written: for each kind of work the micro-batches of a stage
/// follow in ascending order. A B counts as an I and a W.
class RankOrder {
 public:
  /// Work on micro-batches from `micro_batches` on is counted, but not written.
  explicit RankOrder(int micro_batches) : micro_batches_(micro_batches) {}

  /// A computation of the stage's next micro-batch.
  void add(ActionKind kind, StageId stage);
  /// The next forward of one stage together with the next B of the other.
  void add_overlap(StageId forward, StageId backward);

  int count(ActionKind kind, StageId stage) const;
  std::vector<Action> take() { return std::move(actions_); }

 private:
  Step next(ActionKind kind, StageId stage);

  int micro_batches_;
  std::map<std::pair<ActionKind, StageId>, int> counts_;
  std::vector<Action> actions_;
};

}  // namespace frostline::pipeline
