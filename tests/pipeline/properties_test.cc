/// What must hold for every shape, schedule, partition, mask and cut.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <map>

#include "pipeline/dry_run.h"
#include "pipeline/schedules/registry.h"
#include "pipeline/lower.h"
#include "pipeline/step_path.h"
#include "pipeline/timeline.h"
#include "pipeline/validate.h"
#include "tests/pipeline/samples.h"

namespace frostline::pipeline {
namespace {

struct Sample {
  Plan plan;
  UnitTable units;
};

int between(int least, int most) { return *rc::gen::inRange(least, most + 1); }
bool chance() { return *rc::gen::arbitrary<bool>(); }

Schedule any_schedule() {
  PipelineShape shape{between(1, 5), between(1, 3), between(1, 9)};
  const auto kinds = schedule_kinds();
  const auto pick = static_cast<std::size_t>(between(0, static_cast<int>(kinds.size())));
  if (pick < kinds.size() && kinds[pick].refuse(shape)) shape.chunks = 1;
  const bool known = pick < kinds.size() && !kinds[pick].refuse(shape);
  const Schedule schedule = known ? kinds[pick].make(shape) : breadth_first(shape);
  return chance() ? split_backward(schedule) : schedule;
}

Partition any_partition(int stages) {
  std::vector<int> counts;
  for (int stage = 0; stage < stages; ++stage) counts.push_back(between(1, 3));
  return Partition(counts);
}

/// Layers with no, one or two units, and sometimes a unit tied from the first layer to the last.
UnitTable any_units(int layers) {
  UnitTable table = UnitTable::of_layers(layers);
  table.units.clear();
  if (chance()) table.units.push_back({"tied", {{0}, {layers - 1}}, {"tied"}, 1});
  for (const LayerId layer : base::ids<LayerId>(layers)) {
    for (int unit = between(0, 2); unit > 0; --unit) {
      table.units.push_back({"unit", {layer}, {"tensor"}, between(1, 9)});
    }
  }
  return table;
}

/// A frozen prefix with some more frozen units above it.
FreezeMask any_mask(const UnitTable& units) {
  FreezeMask mask = freeze_leading_layers(units, between(0, units.layers()));
  const int rarity = between(0, 3);
  for (const UnitId unit : base::ids<UnitId>(units.size())) {
    if (between(0, rarity) > 1) mask.freeze(unit);
  }
  return mask;
}

FreezePlan any_freeze(const UnitTable& units, int micro_batches) {
  if (chance()) return FreezePlan(any_mask(units));
  std::vector<FreezeMask> masks;
  for (int i = 0; i < micro_batches; ++i) masks.push_back(any_mask(units));
  return FreezePlan(masks);
}

Sample any_sample() {
  const Schedule schedule = any_schedule();
  const Partition partition = any_partition(schedule.shape.stages());
  const UnitTable units = any_units(partition.layers());
  const FreezePlan freeze = any_freeze(units, schedule.shape.micro_batches);
  return {{schedule, partition, freeze, static_cast<Cut>(between(0, 2))}, units};
}

/// Where each step of a schedule stands: (rank, position).
std::map<Step, std::pair<int, int>> places_of(const Schedule& schedule) {
  std::map<Step, std::pair<int, int>> places;
  for (int rank = 0; rank < schedule.shape.ranks; ++rank) {
    int position = 0;
    for (const Action& action : schedule.actions[static_cast<std::size_t>(rank)]) {
      for (const Step& step : action.steps()) places[step] = {rank, position};
      ++position;
    }
  }
  return places;
}

template <class Visit>
void for_each_cell(const PipelineShape& shape, const Visit& visit) {
  for (const StageId stage : base::ids<StageId>(shape.stages())) {
    for (const MicroBatch micro_batch : base::ids<MicroBatch>(shape.micro_batches)) {
      visit(stage, micro_batch);
    }
  }
}

bool has_backward(const std::map<Step, std::pair<int, int>>& places, StageId stage, MicroBatch mb) {
  return places.contains({ActionKind::kBackward, stage, mb}) ||
         places.contains({ActionKind::kInputGradient, stage, mb});
}

RC_GTEST_PROP(ExecutableProperty, IsSoundAndRuns, ()) {
  const Sample sample = any_sample();
  const Schedule schedule = executable_schedule(sample.plan, sample.units);
  RC_ASSERT(find_faults(schedule).empty());
  RC_ASSERT(dry_run(schedule).empty());
}

RC_GTEST_PROP(ExecutableProperty, EverySendHasItsReceiveOnAnotherRank, ()) {
  const Sample sample = any_sample();
  const auto places = places_of(executable_schedule(sample.plan, sample.units));
  int sends = 0;
  int receives = 0;
  for (const auto& [step, place] : places) {
    receives += is_receive(step.kind);
    if (!is_send(step.kind)) continue;
    ++sends;
    const bool forward = step.kind == ActionKind::kSendForward;
    const Step receive{forward ? ActionKind::kReceiveForward : ActionKind::kReceiveBackward,
                       forward ? step.stage.next() : step.stage.previous(), step.micro_batch};
    RC_ASSERT(places.contains(receive));
    RC_ASSERT(places.at(receive).first != place.first);
  }
  RC_ASSERT(sends == receives);
}

RC_GTEST_PROP(ExecutableProperty, GradientsGoExactlyWhereABackwardIs, ()) {
  const Sample sample = any_sample();
  const Schedule schedule = executable_schedule(sample.plan, sample.units);
  const FreezeRules rules(sample.plan, sample.units);
  const auto places = places_of(schedule);
  for_each_cell(schedule.shape, [&](StageId stage, MicroBatch mb) {
    const bool needed = stage.value > 0 && has_backward(places, stage.previous(), mb);
    RC_ASSERT(rules.sends_gradient(stage, mb) == needed);
    const bool local =
        stage.value > 0 && schedule.rank_of(stage) == schedule.rank_of(stage.previous());
    RC_ASSERT(places.contains({ActionKind::kSendBackward, stage, mb}) == (needed && !local));
  });
}

/// Row 4 of the invariants: a gradient is sent to a stage exactly if something at or below it
/// trains.
RC_GTEST_PROP(ExecutableProperty, UnderAPrefixGradientsGoExactlyWhereSomethingTrains, ()) {
  Sample sample = any_sample();
  sample.plan.cut = Cut::kPrefix;
  const FreezeRules rules(sample.plan, sample.units);
  for_each_cell(sample.plan.schedule->shape, [&](StageId stage, MicroBatch mb) {
    if (stage.value == 0) return;
    const auto trains = training_layers(sample.units, sample.plan.freeze.mask(mb));
    const auto end = trains.begin() + sample.plan.partition.first(stage).value;
    RC_ASSERT(rules.sends_gradient(stage, mb) == (std::find(trains.begin(), end, true) != end));
  });
}

RC_GTEST_PROP(ExecutableProperty, WeightGradientsAreThereExactlyWhereSomethingTrains, ()) {
  const Sample sample = any_sample();
  const auto places = places_of(rewrite(sample.plan, sample.units));
  for_each_cell(sample.plan.schedule->shape, [&](StageId stage, MicroBatch mb) {
    const auto trains = training_layers(sample.units, sample.plan.freeze.mask(mb));
    bool any = false;
    for (const LayerId layer : sample.plan.partition.layers_of(stage)) any |= trains[layer.index()];
    RC_ASSERT(any == (places.contains({ActionKind::kBackward, stage, mb}) ||
                      places.contains({ActionKind::kWeightGradient, stage, mb})));
  });
}

/// A step of the one is in the other, or there a whole B is in place of the I.
bool is_left_of(const std::map<Step, std::pair<int, int>>& places, const Step& step) {
  return places.contains(step) ||
         (step.kind == ActionKind::kInputGradient &&
          places.contains({ActionKind::kBackward, step.stage, step.micro_batch}));
}

RC_GTEST_PROP(ExecutableProperty, FreezingMoreLeavesASubset, ()) {
  Sample sample = any_sample();
  const auto before = places_of(rewrite(sample.plan, sample.units));
  std::vector<FreezeMask> masks;
  for (const MicroBatch mb : base::ids<MicroBatch>(sample.plan.schedule->shape.micro_batches)) {
    FreezeMask& mask = masks.emplace_back(sample.plan.freeze.mask(mb));
    for (const UnitId unit : base::ids<UnitId>(sample.units.size())) {
      if (chance()) mask.freeze(unit);
    }
  }
  sample.plan.freeze = FreezePlan(masks);
  for (const auto& [step, place] : places_of(rewrite(sample.plan, sample.units))) {
    RC_ASSERT(is_left_of(before, step));
  }
}

EqualStages any_times() { return {between(0, 9), between(0, 9), between(0, 9), between(0, 5)}; }

RC_GTEST_PROP(TimelineProperty, NothingOverlapsOnARank, ()) {
  const Sample sample = any_sample();
  const auto timeline =
      longest_path_timeline(executable_schedule(sample.plan, sample.units), any_times());
  for (std::size_t i = 1; i < timeline.spans.size(); ++i) {
    const Span& before = timeline.spans[i - 1];
    const Span& span = timeline.spans[i];
    RC_ASSERT(span.rank >= before.rank);
    RC_ASSERT(span.rank != before.rank || span.start >= before.end);
  }
}

RC_GTEST_PROP(TimelineProperty, DependenciesAreKept, ()) {
  const Sample sample = any_sample();
  const Schedule schedule = executable_schedule(sample.plan, sample.units);
  const EqualStages times = any_times();
  std::map<Step, Span> spans;
  for (const Span& span : longest_path_timeline(schedule, times).spans) {
    spans.emplace(span.action.first(), span);
  }
  for (const auto& [step, span] : spans) {
    if (step.kind == ActionKind::kWeightGradient) continue;
    const bool forward = step.kind == ActionKind::kForward;
    const StageId source = forward ? step.stage.previous() : step.stage.next();
    for (const ActionKind kind :
         {ActionKind::kForward, ActionKind::kBackward, ActionKind::kInputGradient}) {
      const auto from = spans.find({kind, source, step.micro_batch});
      if (from == spans.end() || forward != (kind == ActionKind::kForward)) continue;
      const bool local = from->second.rank == span.rank;
      RC_ASSERT(span.start >= from->second.end + (local ? 0 : times.latency) * kTick);
    }
  }
}

RC_GTEST_PROP(TimelineProperty, NothingStartsLaterThanItMust, ()) {
  const Sample sample = any_sample();
  const auto spans =
      longest_path_timeline(executable_schedule(sample.plan, sample.units), EqualStages(3, 4, 5))
          .spans;
  for (const Span& span : spans) {
    const bool follows = std::any_of(spans.begin(), spans.end(),
                                     [&](const Span& other) { return other.end == span.start; });
    RC_ASSERT(span.start == base::Duration() || follows);
  }
}

RC_GTEST_PROP(TimelineProperty, MakespanIsAtLeastEveryRanksWork, ()) {
  const Sample sample = any_sample();
  const auto timeline =
      longest_path_timeline(executable_schedule(sample.plan, sample.units), any_times());
  for (const Rank rank : base::ids<Rank>(timeline.ranks)) {
    RC_ASSERT(timeline.makespan() >= timeline.rank_span(rank));
    RC_ASSERT(timeline.rank_span(rank) >= timeline.busy(rank));
  }
}

/// Walked on flat arrays with freezing left out on the way, or rewritten, lowered and built as a
/// graph: the same figures.
RC_GTEST_PROP(StepPathProperty, GivesTheLongestPathOfTheGraph, ()) {
  const Sample sample = any_sample();
  const EqualStages times = any_times();
  StepPath path(sample.plan, sample.units, times);
  const Schedule schedule = executable_schedule(sample.plan, sample.units);
  const StepUse graph = longest_path_timeline(schedule, times).use(schedule.shape.stages());
  RC_ASSERT(path.evaluate() == graph);
  Plan lowered = sample.plan;
  lowered.schedule = lower(sample.plan.schedule);
  RC_ASSERT(StepPath(lowered, sample.units, times).evaluate() == graph);
}

base::Duration makespan(const Sample& sample, const ActionTimes& times) {
  return longest_path_timeline(executable_schedule(sample.plan, sample.units), times).makespan();
}

RC_GTEST_PROP(TimelineProperty, FreezingNeverTakesLonger, ()) {
  const Sample frozen = any_sample();
  Sample trained{frozen.plan, UnitTable::of_layers(frozen.units.layers())};
  trained.plan.freeze = FreezePlan(FreezeMask(trained.units.size()));
  const EqualStages times = any_times();
  RC_ASSERT(makespan(frozen, times) <= makespan(trained, times));
}

}  // namespace
}  // namespace frostline::pipeline
