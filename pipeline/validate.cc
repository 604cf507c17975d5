#include "pipeline/validate.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.h"
#include "pipeline/dry_run.h"
#include "pipeline/fault_finder.h"
#include "pipeline/lower.h"

namespace frostline::pipeline {
namespace {

ScheduleFault misshapen(const std::string& what) {
  return {ScheduleRule::kOutOfRange, Rank{0}, 0, "", what};
}

/// Without lists and placement as the shape says, no other rule can be read.
std::vector<ScheduleFault> shape_faults(const Schedule& schedule) {
  const auto& [ranks, chunks, micro_batches] = schedule.shape;
  if (std::min({ranks, chunks, micro_batches}) < 1) {
    return {
        misshapen(fmt::format("ranks = {}, chunks = {}, micro_batches = {}; use at least 1 of each",
                              ranks, chunks, micro_batches))};
  }
  if (std::ssize(schedule.actions) != ranks) {
    return {
        misshapen(fmt::format("{} lists of actions for {} ranks", schedule.actions.size(), ranks))};
  }
  if (std::ssize(schedule.rank_of_stage) != schedule.shape.stages()) {
    return {misshapen(fmt::format("{} stages have a rank, but there are {}",
                                  schedule.rank_of_stage.size(), schedule.shape.stages()))};
  }
  for (const Rank rank : schedule.rank_of_stage) {
    if (rank.value >= 0 && rank.value < ranks) continue;
    return {misshapen(fmt::format("a stage is on rank {} of {} ranks", rank.value, ranks))};
  }
  return {};
}

/// To be asked when no other rule is broken.
std::vector<ScheduleFault> cycle_faults(const Schedule& schedule) {
  const StepPlaces places(schedule);
  std::vector<ScheduleFault> faults;
  for (const BlockedRank& blocked : dry_run(lower(schedule))) {
    const int position = places.find(blocked.next.first())->position;
    faults.push_back({ScheduleRule::kCycle, blocked.rank, position, to_text(blocked.next),
                      "it waits for " + blocked.waits_for});
  }
  return faults;
}

std::vector<ScheduleFault> list_faults(const Schedule& schedule) {
  auto faults = FaultFinder(schedule).find();
  std::stable_sort(faults.begin(), faults.end(),
                   [](const ScheduleFault& a, const ScheduleFault& b) {
                     return std::pair(a.rank, a.position) < std::pair(b.rank, b.position);
                   });
  return faults;
}

[[noreturn]] void fail(const Schedule& schedule, const ScheduleFault& fault) {
  throw base::Error(fmt::format("schedule '{}' is not sound: {}\n{}", schedule.name, fault.text(),
                                show_fault(schedule, fault)));
}

std::string heading(const ScheduleFault& fault) {
  return fmt::format("rule {}", static_cast<int>(fault.rule));
}

}  // namespace

std::string ScheduleFault::text() const {
  const std::string where =
      action.empty() ? "the list's end" : fmt::format("action {} ({})", position, action);
  return fmt::format("{}, rank {}, {}: {}", heading(*this), rank.value, where, what);
}

std::vector<ScheduleFault> find_faults(const Schedule& schedule) {
  auto faults = shape_faults(schedule);
  if (faults.empty()) faults = list_faults(schedule);
  if (faults.empty()) faults = cycle_faults(schedule);
  return faults;
}

std::string show_fault(const Schedule& schedule, const ScheduleFault& fault) {
  std::string grid;
  for (std::size_t rank = 0; rank < schedule.actions.size(); ++rank) {
    const bool here = rank == fault.rank.index();
    grid += fmt::format("rank {}:", rank);
    int position = 0;
    for (const Action& action : schedule.actions[rank]) {
      const bool marked = here && position++ == fault.position;
      const std::string text = to_text(action);
      grid += marked ? fmt::format(" [{}]", text) : fmt::format(" {}", text);
    }
    if (here) grid += fmt::format("  <-- {}: {}", heading(fault), fault.what);
    grid += "\n";
  }
  return grid;
}

void validate(const Schedule& schedule) {
  if (const auto faults = find_faults(schedule); !faults.empty()) fail(schedule, faults.front());
}

void validate_executable(const Schedule& schedule) {
  auto faults = shape_faults(schedule);
  if (faults.empty()) faults = list_faults(schedule);
  if (!faults.empty()) fail(schedule, faults.front());
  if (dry_run(schedule).empty()) return;
  validate(schedule);  // says so if it is the lists that have a cycle
  check_runs(schedule);
}

}  // namespace frostline::pipeline
