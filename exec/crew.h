#pragma once

#include <condition_variable>
#include <cstdint>
#include <exception>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

#include "pipeline/action.h"

namespace frostline::exec {

/// The rank threads of one process, one intra-op thread each: workers that obey the controller's
/// commands.
class Crew {
 public:
  using Command = std::function<void(pipeline::Rank)>;

  explicit Crew(int ranks);
  ~Crew();
  Crew(const Crew&) = delete;
  Crew& operator=(const Crew&) = delete;

  int size() const { return static_cast<int>(threads_.size()); }
  /// Runs `command` on every rank at once and waits for all. If one throws, `give_up` is called (on
  /// its thread) so that the others end, and the first failure in time is thrown as base::Error
  /// that names the rank.
  void run(const Command& command, const std::function<void()>& give_up);

 private:
  void serve(pipeline::Rank rank);
  void perform(pipeline::Rank rank, const Command& command);
  void note_failure(pipeline::Rank rank);

  std::mutex mutex_;
  std::condition_variable changed_;
  const Command* command_ = nullptr;
  const std::function<void()>* give_up_ = nullptr;
  std::uint64_t turn_ = 0;  // counts commands
  int busy_ = 0;            // ranks that have not finished the command
  bool ended_ = false;
  std::exception_ptr failure_;
  pipeline::Rank failed_;
  std::vector<std::thread> threads_;  // last: they use everything above
};

}  // namespace frostline::exec
