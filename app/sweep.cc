#include "app/sweep.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <new>
#include <set>
#include <thread>
#include <utility>

#include "app/memory_check.h"
#include "app/setup.h"
#include "app/simulation.h"
#include "base/error.h"
#include "base/join.h"

namespace frostline::app {
namespace {

using nlohmann::json;

base::Document document_of(const SweepOrder& order, const std::vector<std::string>& values) {
  auto document = scenario_document(order.scenario, order.set, order.seed);
  for (std::size_t i = 0; i < values.size(); ++i)
    document.set(fmt::format("{}={}", order.variations[i].key, values[i]), "--vary");
  return document;
}

/// Each value by itself, so that each problem is found once.
void check_values(const SweepOrder& order) {
  std::vector<base::Problem> problems;
  std::set<std::string> said;
  for (const auto& variation : order.variations) {
    for (const auto& value : variation.values) {
      auto document = document_of({order.scenario, order.set, order.seed, {variation}}, {value});
      try {
        check_keys(document);
      } catch (const base::InvalidInput& error) {
        for (const auto& problem : error.problems())
          if (said.insert(problem.text()).second) problems.push_back(problem);
      }
    }
  }
  if (!problems.empty()) throw base::InvalidInput(problems);
}

json simulated(const SweepOrder& order, const std::vector<std::string>& values,
               const InterruptGuard& interrupt) {
  const auto scenario = read_scenario(document_of(order, values), Use::kSimulate);
  const auto cost = scenario_cost(scenario);
  const auto memory_problem = check_memory(scenario, *cost);
  const auto world = make_simulated_world(scenario, *cost, "event");
  auto run = simulate_scenario(scenario, *cost, *world, nullptr,
                               {Progress(Progress::Form::kSilent), interrupt});
  // What a step works off, for a comparison of speeds.
  run.summary["micro_batches"] = scenario.pipeline.micro_batches;
  run.summary["samples"] = scenario.has_model() ? json(scenario.train.batch) : json(nullptr);
  if (memory_problem) run.summary["memory_problem"] = *memory_problem;
  return std::move(run.summary);
}

std::string reason_of(const base::InvalidInput& error) {
  std::vector<std::string> texts;
  for (const auto& problem : error.problems()) texts.push_back(problem.what);
  return base::join(texts, "; ");
}

void simulate(const SweepOrder& order, const InterruptGuard& interrupt, Combination& combination) {
  try {
    combination.summary = simulated(order, combination.values, interrupt);
  } catch (const base::InvalidInput& error) {
    combination.reason = reason_of(error);
  } catch (const base::Error& error) {
    combination.reason = error.what();
  } catch (const std::bad_alloc&) {
    combination.reason = "out of memory; use a smaller model or schedule, or fewer --jobs";
  }
}

/// Threads that take combinations, one after the other, until none is left.
class Workers {
 public:
  Workers(const SweepOrder& order, const InterruptGuard& interrupt,
          std::vector<Combination>& combinations)
      : order_(order), interrupt_(interrupt), combinations_(combinations) {}

  void run(int jobs, Progress& progress) {
    {
      std::vector<std::jthread> threads;
      for (int i = 0; i < jobs; ++i) threads.emplace_back([this] { work(); });
      watch(jobs, progress);
    }
    if (bug_) std::rethrow_exception(bug_);
  }

 private:
  void work() {
    try {
      for (;;) {
        const std::size_t mine = next_++;
        if (mine >= combinations_.size() || interrupt_.requested()) break;
        simulate(order_, interrupt_, combinations_[mine]);
        note([this] { ++done_; });
      }
    } catch (...) {
      next_ = combinations_.size();
      note([this] { bug_ = std::current_exception(); });
    }
    note([this] { ++idle_; });
  }

  template <class Change>
  void note(const Change& change) {
    const std::lock_guard lock(mutex_);
    change();
    changed_.notify_one();
  }

  /// Until every thread is through.
  void watch(int jobs, Progress& progress) {
    std::unique_lock lock(mutex_);
    while (idle_ < jobs) {
      const auto all = combinations_.size();
      progress.show_share(fmt::format("{} of {} combinations", done_, all),
                          static_cast<double>(done_) / static_cast<double>(all));
      changed_.wait(lock);
    }
    progress.clear();
  }

  const SweepOrder& order_;
  const InterruptGuard& interrupt_;
  std::vector<Combination>& combinations_;  // each touched by the thread that took it
  std::atomic<std::size_t> next_ = 0;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::size_t done_ = 0;    // with mutex_
  int idle_ = 0;            // with mutex_
  std::exception_ptr bug_;  // with mutex_
};

}  // namespace

Sweep run_sweep(const SweepOrder& order, int jobs, Supervision supervision) {
  check_values(order);
  Sweep sweep{order.variations, {}, false};
  for (auto& values : combinations(order.variations))
    sweep.combinations.push_back({std::move(values), nullptr, ""});
  const auto threads =
      std::min<std::size_t>(static_cast<std::size_t>(jobs), sweep.combinations.size());
  Workers(order, supervision.interrupt, sweep.combinations)
      .run(static_cast<int>(threads), supervision.progress);
  sweep.interrupted = supervision.interrupt.requested();
  for (auto& combination : sweep.combinations)
    if (combination.summary.is_null() && combination.reason.empty())
      combination.reason = "interrupted before it ran";
  return sweep;
}

}  // namespace frostline::app
