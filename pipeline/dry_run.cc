#include "pipeline/dry_run.h"

#include <fmt/format.h>

#include <deque>

#include "base/error.h"
#include "pipeline/dependencies.h"

namespace frostline::pipeline {
namespace {

/// Sends never hold a rank up and receives are only posted; a computation awaits what it needs.
class DryRun {
 public:
  explicit DryRun(const Schedule& schedule)
      : schedule_(schedule),
        places_(schedule),
        next_(schedule.actions.size(), 0),
        waiting_for_(schedule.actions.size()) {}

  std::vector<BlockedRank> run() {
    for (const Rank rank : ranks()) ready_.push_back(rank);
    while (!ready_.empty()) {
      const Rank rank = ready_.front();
      ready_.pop_front();
      if (advance(rank)) wake_those_waiting_for(rank);
      if (!at_end(rank)) wait(rank);
    }
    std::vector<BlockedRank> blocked;
    for (const Rank rank : ranks()) {
      if (!at_end(rank)) blocked.push_back({rank, next(rank), waits_for(rank)});
    }
    return blocked;
  }

 private:
  base::IdRange<Rank> ranks() const { return base::ids<Rank>(static_cast<int>(next_.size())); }
  const std::vector<Action>& list(Rank rank) const { return schedule_.actions[rank.index()]; }
  bool at_end(Rank rank) const {
    return next_[rank.index()] == static_cast<int>(list(rank).size());
  }
  const Action& next(Rank rank) const {
    return list(rank)[static_cast<std::size_t>(next_[rank.index()])];
  }

  /// As far as the rank gets. Returns whether it got anywhere.
  bool advance(Rank rank) {
    const int before = next_[rank.index()];
    while (!at_end(rank) && !missing(next(rank))) ++next_[rank.index()];
    return next_[rank.index()] != before;
  }

  /// Until the rank moves on which the missing step stands; for ever if it stands nowhere.
  void wait(Rank rank) {
    const auto place = places_.find(*missing(next(rank)));
    if (place) waiting_for_[place->rank.index()].push_back(rank);
  }

  void wake_those_waiting_for(Rank rank) {
    auto& waiting = waiting_for_[rank.index()];
    ready_.insert(ready_.end(), waiting.begin(), waiting.end());
    waiting.clear();
  }

  bool done(const Step& step) const {
    const auto place = places_.find(step);
    return place && place->position < next_[place->rank.index()];
  }

  /// The first step that an action needs and that has not been done.
  std::optional<Step> missing(const Action& action) const {
    for (const Step& step : action.steps()) {
      for (const Step& input : inputs_of(step, places_, schedule_.last_stage())) {
        if (const auto absent = missing(step, input)) return absent;
      }
    }
    return std::nullopt;
  }

  std::optional<Step> missing(const Step& step, const Step& input) const {
    if (schedule_.rank_of(step.stage) == schedule_.rank_of(input.stage)) {
      return done(input) ? std::nullopt : std::optional(input);
    }
    const Step send = send_of(input);
    if (!done(receive_of(send))) return receive_of(send);
    return done(send) ? std::nullopt : std::optional(send);
  }

  std::string waits_for(Rank rank) const {
    const Step step = *missing(next(rank));
    if (!is_send(step.kind)) return fmt::format("{}, which {}", to_text(step), standing(step));
    return fmt::format("{}, whose send {} {}", to_text(receive_of(step)), to_text(step),
                       standing(step));
  }

  std::string standing(const Step& step) const {
    const auto place = places_.find(step);
    if (!place) return "is in no list";
    return fmt::format("stands behind {} on rank {}", to_text(next(place->rank)),
                       place->rank.value);
  }

  const Schedule& schedule_;
  StepPlaces places_;
  std::vector<int> next_;                       // each rank's place in its list
  std::vector<std::vector<Rank>> waiting_for_;  // by the rank they wait for
  std::deque<Rank> ready_;
};

}  // namespace

std::vector<BlockedRank> dry_run(const Schedule& schedule) { return DryRun(schedule).run(); }

void check_runs(const Schedule& schedule) {
  const auto blocked = dry_run(schedule);
  if (blocked.empty()) return;
  std::string report = fmt::format("schedule '{}' would deadlock:", schedule.name);
  for (const BlockedRank& rank : blocked) {
    report += fmt::format("\n  rank {} stands before {}, which waits for {}", rank.rank.value,
                          to_text(rank.next), rank.waits_for);
  }
  throw base::Error(report);
}

}  // namespace frostline::pipeline
