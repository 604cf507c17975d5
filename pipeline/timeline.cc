#include "pipeline/timeline.h"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <span>

#include "pipeline/schedule_graph.h"

namespace frostline::pipeline {
namespace {

using base::Duration;

/// From the first start to the last end; 0 if there are none.
Duration extent(std::span<const Span> spans) {
  if (spans.empty()) return {};
  Duration start = spans.front().start;
  Duration end{};
  for (const Span& span : spans) {
    start = std::min(start, span.start);
    end = std::max(end, span.end);
  }
  return end - start;
}

/// Found by halving: thousands of ranks are asked one by one.
std::span<const Span> spans_of(const std::vector<Span>& spans, Rank rank) {
  const auto first = std::partition_point(spans.begin(), spans.end(),
                                          [&](const Span& span) { return span.rank < rank; });
  const auto end =
      std::partition_point(first, spans.end(), [&](const Span& span) { return span.rank == rank; });
  return {first, end};
}

double idle_share(double busy, double available) {
  return available > 0 ? 1.0 - busy / available : 0.0;
}

std::string in_units(Duration time, Duration unit) {
  return fmt::format("{}", static_cast<double>(time.count()) / static_cast<double>(unit.count()));
}

}  // namespace

Duration Timeline::makespan() const { return extent(spans); }

Duration Timeline::busy(Rank rank) const {
  Duration sum{};
  for (const Span& span : spans_of(spans, rank)) sum += span.end - span.start;
  return sum;
}

Duration Timeline::rank_span(Rank rank) const { return extent(spans_of(spans, rank)); }

Duration Timeline::cost() const {
  Duration largest{};
  for (const Rank rank : base::ids<Rank>(ranks)) largest = std::max(largest, rank_span(rank));
  return largest;
}

double Timeline::bubble_rate(Rank rank) const {
  return idle_share(static_cast<double>(busy(rank).count()), static_cast<double>(cost().count()));
}

double Timeline::bubble_rate() const {
  Duration sum{};
  for (const Rank rank : base::ids<Rank>(ranks)) sum += busy(rank);
  return idle_share(static_cast<double>(sum.count()),
                    static_cast<double>(ranks) * static_cast<double>(cost().count()));
}

std::string Timeline::text(Duration unit) const {
  assert(unit.count() > 0);
  std::string text;
  for (const Rank rank : base::ids<Rank>(ranks)) {
    text += fmt::format("rank {}", rank.value);
    for (const Span& span : spans) {
      if (span.rank != rank) continue;
      text += fmt::format(" | {} {}-{}", to_text(span.action), in_units(span.start, unit),
                          in_units(span.end, unit));
    }
    text += "\n";
  }
  return text;
}

Timeline longest_path_timeline(const Schedule& schedule, const ActionTimes& times) {
  return {schedule.shape.ranks, longest_path(schedule_graph(schedule, times))};
}

}  // namespace frostline::pipeline
