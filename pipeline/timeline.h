#pragma once

#include <string>
#include <vector>

#include "base/time.h"
#include "pipeline/action_times.h"
#include "pipeline/schedule.h"
#include "pipeline/span.h"
#include "pipeline/step_use.h"

namespace frostline::pipeline {

/// When the computations of one step ran, on whatever clock: rank by rank, each rank's in time
/// order.
struct Timeline {
  int ranks = 0;
  std::vector<Span> spans;

  /// The figures of a pipeline of so many stages.
  StepUse use(int stages) const;
  base::Duration makespan() const;       ///< last end over all ranks - first start over all ranks
  base::Duration busy(Rank rank) const;  ///< sum of the rank's computations
  /// The rank's last end - its first start; 0 if it has none.
  base::Duration rank_span(Rank rank) const;
  /// Largest rank_span: "cost" in the bubble rate of Qi et al., arXiv 2401.10241.
  base::Duration cost() const;
  /// 1 - busy/cost, of one rank and of all; 0 if nothing ran.
  double bubble_rate(Rank rank) const;
  double bubble_rate() const;

  /// One line a rank, times in the unit given: "rank 0 | 0F0 0-10 | 0F1 10-20". For golden tests.
  std::string text(base::Duration unit) const;
};

/// The timeline of a lowered schedule where transfers do not contend: the longest path of its
/// graph.
Timeline longest_path_timeline(const Schedule& schedule, const ActionTimes& times);

}  // namespace frostline::pipeline
