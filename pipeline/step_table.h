#pragma once

#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "pipeline/action_times.h"
#include "pipeline/rewrite.h"
#include "pipeline/schedule.h"

namespace frostline::pipeline {

/// What evaluators ask of a schedule and its times, looked up once a stage where all of its
/// micro-batches take the same: tens of millions of actions then cost a table lookup each.
class StepTable {
 public:
  using Nanoseconds = std::int64_t;
  /// Instead of a duration: freezing saves it.
  static constexpr Nanoseconds kSaved = -1;

  /// How a tensor gets to the rank that needs it.
  struct Way {
    std::int32_t rank = -1;  ///< -1: the tensor stays, or nobody needs it
    std::int32_t channel = 0;  ///< from one rank to another, numbered from 0
    Nanoseconds delay = 0;
    Nanoseconds occupancy = 0;  ///< of the channel
  };
  /// What a stage's computations of a micro-batch take and where their results go.
  struct Row {
    Nanoseconds duration[4] = {};  ///< by ActionKind
    Way output, gradient;
    bool first = false, last = false;
    bool learns = true;  ///< a B has a weight gradient
  };

  /// Of a schedule as planned, of which `rules` leave out what freezing saves; or, with null, of
  /// one as executed.
  StepTable(const Schedule& schedule, const ActionTimes& times, const FreezeRules* rules,
            bool uniform);

  const Row& row(std::size_t stage, std::size_t micro_batch) const {
    return rows_[uniform_ ? stage : micro_batch * stages_ + stage];
  }
  std::size_t channels() const { return channels_.size(); }

 private:
  Row make_row(const Schedule& schedule, const ActionTimes& times, const FreezeRules* rules,
               StageId stage, MicroBatch micro_batch);
  Way way(const Schedule& schedule, const ActionTimes& times, const Step& send, StageId to);

  std::size_t stages_;
  bool uniform_;           ///< all micro-batches of a stage have one row
  std::vector<Row> rows_;  ///< micro-batches (1 if uniform) x stages
  std::map<std::pair<int, int>, std::int32_t> channels_;  ///< by sending and receiving rank
};

}  // namespace frostline::pipeline
