#pragma once

#include <optional>
#include <vector>

#include "pipeline/schedules/kind_order.h"

namespace frostline::pipeline {

/// What the greedy pass leaves open; all eight are tried.
struct GreedyChoices {
  bool fill_warm_up;      ///< a last forward of the warm-up may delay the first input gradient
  bool put_off_forwards;  ///< a forward may give way to the gradient that is about to arrive
  bool fill_every_gap;    ///< a weight gradient may overrun a gap that makes nobody idle for longer
};

/// One order of the step's computations.
struct GreedyOrder {
  KindOrder kinds;
  base::Duration cost{};  ///< the longest rank's last end - its first start
};

/// One pass of the heuristic of Qi et al. 2023 (arXiv 2401.10241, section 3.1), for one stage a
/// rank: as many forwards to warm up as `limits` allow and the first input gradient waits for; then
/// a forward and an input gradient in turn, with weight gradients where a rank would wait and where
/// it has to give memory back; what is left of them at the end. No rank ever holds more than its
/// limit.
///
/// `request` has its stages' figures, and a limit admits one micro-batch (both asserted). Nothing
/// if the order's cost is not below `bound`: found out as soon as a rank has waited too long.
std::optional<GreedyOrder> greedy_order(const ScheduleRequest& request,
                                        const std::vector<base::Bytes>& limits,
                                        const GreedyChoices& choices, base::Duration bound);

}  // namespace frostline::pipeline
