#pragma once

#include <cstdint>
#include <vector>

#include "base/id.h"
#include "base/time.h"

namespace frostline::pipeline {

/// How one rank spent a step.
struct RankUse {
  base::Duration first_start{};  ///< of its first computation
  base::Duration last_end{};     ///< of its last one
  base::Duration busy{};         ///< sum of its computations
  std::int64_t computations = 0;

  /// Takes in the rank's next computation.
  void add(base::Duration start, base::Duration end) {
    if (computations++ == 0) first_start = start;
    last_end = end;
    busy += end - start;
  }

  /// 0 if it computed nothing.
  base::Duration span() const { return last_end - first_start; }
  friend bool operator==(const RankUse&, const RankUse&) = default;
};

/// When a stage's last weight gradient of a step was computed; 0 and 0 if there was none.
struct LastGradient {
  base::Duration start{};
  base::Duration end{};

  friend bool operator==(const LastGradient&, const LastGradient&) = default;
};

/// What an evaluator says of a step: the figures of its timeline without the timeline.
struct StepUse {
  std::vector<RankUse> ranks;
  std::vector<LastGradient> gradients;  ///< one a stage

  base::Duration makespan() const;  ///< last end over all ranks - first start over all ranks
  /// Largest span of a rank: "cost" in the bubble rate of Qi et al., arXiv 2401.10241.
  base::Duration cost() const;
  std::int64_t computations() const;
  /// 1 - busy/cost, of one rank and of all; 0 if nothing ran.
  double bubble_rate(base::Rank rank) const;
  double bubble_rate() const;

  friend bool operator==(const StepUse&, const StepUse&) = default;
};

}  // namespace frostline::pipeline
