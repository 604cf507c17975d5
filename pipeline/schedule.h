#pragma once

#include <string>
#include <vector>

#include "pipeline/action.h"

namespace frostline::pipeline {

/// The sizes that a schedule is made for.
struct PipelineShape {
  int ranks = 1;
  int chunks = 1;  ///< stages a rank
  int micro_batches = 1;

  int stages() const { return ranks * chunks; }
  friend bool operator==(const PipelineShape&, const PipelineShape&) = default;
};

/// For each rank, the ordered list of its actions; and which rank holds which stage. A value.
struct Schedule {
  std::string name;
  PipelineShape shape;
  std::vector<Rank> rank_of_stage;           ///< one entry a stage, in model order
  std::vector<std::vector<Action>> actions;  ///< one list a rank

  Rank rank_of(StageId stage) const { return rank_of_stage.at(stage.index()); }
  StageId last_stage() const { return {shape.stages() - 1}; }
  friend bool operator==(const Schedule&, const Schedule&) = default;
};

/// Stage s on rank s mod ranks: what GPipe, 1F1B and the interleaved schedules use.
std::vector<Rank> looped_placement(const PipelineShape& shape);

/// Stages down the ranks and up again, two a rank: stages s and 2 ranks - 1 - s on rank s.
std::vector<Rank> v_placement(int ranks);

/// There are sends or receives in its lists: its transfers were placed by hand or by `lower`.
bool has_transfers(const Schedule& schedule);

/// What is left without transfers, reductions and gathering.
Schedule computations_of(Schedule schedule);

/// The schedule as a grid, one line a rank: "rank 0: 0F0 0F1 0B0 0B1".
std::string to_text(const Schedule& schedule);

}  // namespace frostline::pipeline
