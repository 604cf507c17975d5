#include "pipeline/step_use.h"

#include <algorithm>

namespace frostline::pipeline {
namespace {

using base::Duration;

double idle_share(double busy, double available) {
  return available > 0 ? 1.0 - busy / available : 0.0;
}

}  // namespace

Duration StepUse::makespan() const {
  if (computations() == 0) return {};
  Duration start = Duration::max();
  Duration end = Duration::min();
  for (const RankUse& use : ranks) {
    if (use.computations == 0) continue;
    start = std::min(start, use.first_start);
    end = std::max(end, use.last_end);
  }
  return end - start;
}

Duration StepUse::cost() const {
  Duration largest{};
  for (const RankUse& use : ranks) largest = std::max(largest, use.span());
  return largest;
}

std::int64_t StepUse::computations() const {
  std::int64_t sum = 0;
  for (const RankUse& use : ranks) sum += use.computations;
  return sum;
}

double StepUse::bubble_rate(base::Rank rank) const {
  return idle_share(static_cast<double>(ranks.at(rank.index()).busy.count()),
                    static_cast<double>(cost().count()));
}

double StepUse::bubble_rate() const {
  double busy = 0;
  for (const RankUse& use : ranks) busy += static_cast<double>(use.busy.count());
  return idle_share(busy, static_cast<double>(ranks.size()) * static_cast<double>(cost().count()));
}

}  // namespace frostline::pipeline
