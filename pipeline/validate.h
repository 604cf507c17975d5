#pragma once

#include <optional>
#include <string>
#include <vector>

#include "pipeline/schedule.h"

namespace frostline::pipeline {

/// What a schedule must satisfy, numbered so that messages and tests can name a rule.
enum class ScheduleRule {
  kWrongRank = 1,         ///< an action stands on a rank that does not hold its stage
  kOutOfRange = 2,        ///< a stage or micro-batch that the shape does not have
  kDuplicate = 3,         ///< the same step twice
  kMissingForward = 4,    ///< a stage lacks the forward of a micro-batch
  kBackwardFirst = 5,     ///< a backward before its forward on the same rank, or W before its I
  kMixedBackward = 6,     ///< B together with I or W of the same stage and micro-batch
  kUnpairedTransfer = 7,  ///< a send without its receive, or the reverse
  /// a receive after the computation that needs it, or a send before the one that makes it
  kTransferBeforeUse = 8,
  kCycle = 9,  ///< no order of execution satisfies all lists
};

struct ScheduleFault {
  ScheduleRule rule;
  Rank rank;
  int position = 0;    ///< index in the rank's list; one past its last if something is missing
  std::string action;  ///< as text; "" if something is missing
  std::string what;

  std::string text() const;  ///< "rule 3, rank 1, action 5 (1F2): ..."
};

/// All faults of a compute-only or lowered schedule, in rank order; empty if it is sound. A
/// schedule without any backward of a stage is sound (everything is frozen there). Transfers are
/// checked if there are any.
std::vector<ScheduleFault> find_faults(const Schedule& schedule);

/// The grid of actions with the place of the fault marked "<-- rule 3: ...".
std::string show_fault(const Schedule& schedule, const ScheduleFault& fault);

/// Throws base::Error with the first fault and its grid.
void validate(const Schedule& schedule);

/// validate and check_runs of a lowered schedule in one: throws what they throw, and walks a sound
/// schedule once.
void validate_executable(const Schedule& schedule);

}  // namespace frostline::pipeline
