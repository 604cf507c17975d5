#pragma once

#include <cstdint>
#include <vector>

#include "base/time.h"
#include "pipeline/schedule_graph.h"
#include "pipeline/span.h"

namespace frostline::pipeline {

/// One computation of the critical path. It starts `transfer` after the end of the one before it; 0
/// on the same rank and for the first.
struct CriticalStep {
  Span span;
  base::Duration transfer{};

  friend bool operator==(const CriticalStep&, const CriticalStep&) = default;
};

/// How much later a rank's computations could end without lengthening the step.
struct RankSlack {
  base::Duration least{};     ///< of all of them: so much later the rank could do everything
  base::Duration mean{};      ///< rounded down
  std::int64_t critical = 0;  ///< how many have none
  std::int64_t computations = 0;

  friend bool operator==(const RankSlack&, const RankSlack&) = default;
};

/// What decides how long a step takes.
struct CriticalPath {
  /// From time 0 to the last end without a gap: durations and transfers add up to the makespan. Of
  /// several such chains the one that stays on a rank where it can.
  std::vector<CriticalStep> steps;
  std::vector<RankSlack> slack;  ///< one a rank

  base::Duration makespan() const;
  /// The part of the path that is spent in computations of the rank.
  base::Duration time_on(Rank rank) const;
  std::int64_t steps_on(Rank rank) const;
};

/// The graph is of a schedule with so many ranks. Throws base::Error if it has a cycle.
CriticalPath critical_path(const ScheduleGraph& graph, int ranks);

}  // namespace frostline::pipeline
