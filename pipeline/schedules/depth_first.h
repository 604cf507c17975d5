#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "pipeline/schedule.h"

namespace frostline::pipeline {

/// In which order a rank of an interleaved schedule takes its chunks (Narayanan et al. 2021, arXiv
/// 2104.04473, section 2.2): the micro-batches go round by round, and within a round the chunks one
/// after the other.
///
/// There a round has as many micro-batches as there are ranks. Here, as in PyTorch, there are
/// max(1, micro-batches / ranks) rounds of equal size, so that more numbers of micro-batches work.
class DepthFirst {
 public:
  DepthFirst(const PipelineShape& shape, Rank rank);

  /// Forwards of the rank in all, and as many backwards.
  int turns() const { return shape_.chunks * shape_.micro_batches; }
  StageId forward_stage(int turn) const { return {stage(turn / round_ % shape_.chunks)}; }
  StageId backward_stage(int turn) const {
    return {stage(shape_.chunks - 1 - turn / round_ % shape_.chunks)};
  }
  /// Forwards before the first pair of a forward and a backward: the chunks but one, and `a_rank`
  /// more for each rank behind this one.
  int warm_up(int a_rank) const;

 private:
  int stage(int chunk) const { return chunk * shape_.ranks + rank_.value; }

  PipelineShape shape_;
  Rank rank_;
  int round_;  // micro-batches
};

/// Refuses numbers of micro-batches that do not make rounds of equal size.
std::optional<std::string> refuse_rounds(std::string_view name, const PipelineShape& shape);

}  // namespace frostline::pipeline
