#include "exec/team.h"

#include "base/error.h"

namespace frostline::exec {

void Team::build(const std::function<std::unique_ptr<Worker>(pipeline::Rank)>& make) {
  run_guarded([&](pipeline::Rank rank) { workers_[rank.index()] = make(rank); });
}

void Team::run(const std::function<void(pipeline::Rank, Worker&)>& command) {
  run_guarded([&](pipeline::Rank rank) { command(rank, *workers_[rank.index()]); });
}

void Team::run_guarded(const Crew::Command& command) {
  if (!failure_.empty()) {
    throw base::Error("the ranks have stopped and cannot go on; resume from a checkpoint: " +
                      failure_);
  }
  try {
    crew_.run(command, [this] { hand_over_.abort(); });
  } catch (const base::Error& error) {
    failure_ = error.what();
    throw;
  }
}

}  // namespace frostline::exec
