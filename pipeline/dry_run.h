#pragma once

#include <string>
#include <vector>

#include "pipeline/schedule.h"

namespace frostline::pipeline {

/// A rank that cannot go on: its next action and what that waits for.
struct BlockedRank {
  Rank rank;
  Action next;
  std::string waits_for;  ///< "3RECV_F1, whose send 2SEND_F1 stands behind 2B4 on rank 2"
};

/// Walks a lowered schedule as the runner would, without times. Empty if every rank reaches its
/// end.
std::vector<BlockedRank> dry_run(const Schedule& schedule);

/// Throws base::Error that lists each blocked rank, its next action and what that waits for.
void check_runs(const Schedule& schedule);

}  // namespace frostline::pipeline
