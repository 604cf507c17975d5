#include "pipeline/timeline.h"

#include <fmt/format.h>

#include <cassert>

#include "pipeline/schedule_graph.h"

namespace frostline::pipeline {
namespace {

using base::Duration;

StepUse use_of_ranks(const Timeline& timeline) {
  StepUse use;
  use.ranks.resize(static_cast<std::size_t>(timeline.ranks));
  for (const Span& span : timeline.spans) {
    use.ranks.at(span.rank.index()).add(span.start, span.end);
  }
  return use;
}

bool makes_weight_gradient(ActionKind kind) {
  return kind == ActionKind::kBackward || kind == ActionKind::kWeightGradient;
}

std::string in_units(Duration time, Duration unit) {
  return fmt::format("{}", static_cast<double>(time.count()) / static_cast<double>(unit.count()));
}

}  // namespace

StepUse Timeline::use(int stages) const {
  StepUse use = use_of_ranks(*this);
  use.gradients.resize(static_cast<std::size_t>(stages));
  for (const Span& span : spans) {
    for (const Step& step : span.action.steps()) {
      if (!makes_weight_gradient(step.kind)) continue;
      LastGradient& last = use.gradients.at(step.stage.index());
      if (span.end >= last.end) last = {span.start, span.end};
    }
  }
  return use;
}

Duration Timeline::makespan() const { return use_of_ranks(*this).makespan(); }

Duration Timeline::busy(Rank rank) const { return use_of_ranks(*this).ranks.at(rank.index()).busy; }

Duration Timeline::rank_span(Rank rank) const {
  return use_of_ranks(*this).ranks.at(rank.index()).span();
}

Duration Timeline::cost() const { return use_of_ranks(*this).cost(); }

double Timeline::bubble_rate(Rank rank) const { return use_of_ranks(*this).bubble_rate(rank); }

double Timeline::bubble_rate() const { return use_of_ranks(*this).bubble_rate(); }

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
