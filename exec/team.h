#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "exec/crew.h"
#include "exec/worker.h"

namespace frostline::exec {

/// All ranks of one process: their threads, their workers and the hand-over between them. After a
/// failure it refuses every further command, since ranks may have stopped anywhere.
class Team {
 public:
  explicit Team(int ranks) : workers_(static_cast<std::size_t>(ranks)), crew_(ranks) {}

  int ranks() const { return crew_.size(); }
  HandOver& hand_over() { return hand_over_; }

  /// Every rank makes its own worker, on its own thread.
  void build(const std::function<std::unique_ptr<Worker>(pipeline::Rank)>& make);
  bool built() const { return workers_.front() != nullptr; }

  /// Runs `command` on all ranks at once and waits for them. Throws base::Error that names the
  /// first rank that failed.
  void run(const std::function<void(pipeline::Rank, Worker&)>& command);

  /// For the controller, between commands.
  Worker& worker(pipeline::Rank rank) { return *workers_.at(rank.index()); }
  const std::vector<std::unique_ptr<Worker>>& workers() const { return workers_; }

 private:
  void run_guarded(const Crew::Command& command);

  HandOver hand_over_;
  std::vector<std::unique_ptr<Worker>> workers_;
  std::string failure_;
  Crew crew_;  // last: its threads use everything above
};

}  // namespace frostline::exec
