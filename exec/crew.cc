#include "exec/crew.h"

#include <ATen/Parallel.h>
#include <fmt/format.h>

#include <string>

#include "base/error.h"

namespace frostline::exec {
namespace {

/// LibTorch's messages end in a backtrace; its first line says what is wrong.
std::string first_line(const std::string& text) { return text.substr(0, text.find('\n')); }

[[noreturn]] void throw_failure(pipeline::Rank rank, const std::exception_ptr& failure) {
  try {
    std::rethrow_exception(failure);
  } catch (const std::exception& error) {
    throw base::Error(fmt::format("rank {}: {}", rank.value, first_line(error.what())));
  }
}

}  // namespace

Crew::Crew(int ranks) {
  for (const auto rank : base::ids<pipeline::Rank>(ranks)) {
    threads_.emplace_back([this, rank] { serve(rank); });
  }
}

Crew::~Crew() {
  {
    const std::lock_guard lock(mutex_);
    ended_ = true;
  }
  changed_.notify_all();
  for (std::thread& thread : threads_) thread.join();
}

void Crew::run(const Command& command, const std::function<void()>& give_up) {
  std::unique_lock lock(mutex_);
  command_ = &command;
  give_up_ = &give_up;
  failure_ = nullptr;
  busy_ = size();
  ++turn_;
  changed_.notify_all();
  changed_.wait(lock, [&] { return busy_ == 0; });
  if (failure_) throw_failure(failed_, failure_);
}

void Crew::serve(pipeline::Rank rank) {
  at::set_num_threads(1);  // per thread; otherwise OpenMP workers appear and the bits change
  std::uint64_t done = 0;
  std::unique_lock lock(mutex_);
  while (true) {
    changed_.wait(lock, [&] { return ended_ || turn_ != done; });
    if (ended_) return;
    done = turn_;
    const Command& command = *command_;
    lock.unlock();
    perform(rank, command);
    lock.lock();
    if (--busy_ == 0) changed_.notify_all();
  }
}

void Crew::perform(pipeline::Rank rank, const Command& command) {
  try {
    command(rank);
  } catch (...) {
    note_failure(rank);
  }
}

/// Only the first one counts: those after it are ranks that were made to end.
void Crew::note_failure(pipeline::Rank rank) {
  const std::lock_guard lock(mutex_);
  if (failure_) return;
  failure_ = std::current_exception();
  failed_ = rank;
  (*give_up_)();
}

}  // namespace frostline::exec
