#include "pipeline/step_places.h"

#include <algorithm>

namespace frostline::pipeline {
namespace {

/// Kinds in the order of ActionKind: first those of one micro-batch, then those of a whole step.
constexpr auto kMicroBatchKinds = static_cast<std::size_t>(ActionKind::kReduceGradient);
constexpr auto kStepKinds = static_cast<std::size_t>(ActionKind::kReshard) + 1 - kMicroBatchKinds;

std::size_t slots(const PipelineShape& shape) {
  const auto micro_batches = static_cast<std::size_t>(shape.micro_batches);
  return static_cast<std::size_t>(shape.stages()) * (micro_batches * kMicroBatchKinds + kStepKinds);
}

}  // namespace

StepPlaces::StepPlaces(const Schedule& schedule)
    : shape_(schedule.shape),
      rank_of_stage_(schedule.rank_of_stage),
      positions_(slots(schedule.shape), -1) {
  for (const Rank rank : base::ids<Rank>(static_cast<int>(schedule.actions.size()))) {
    StepPlace place{rank, 0};
    for (const Action& action : schedule.actions[rank.index()]) {
      for (const Step& step : action.steps()) note(step, place);
      ++place.position;
    }
  }
}

std::optional<StepPlace> StepPlaces::find(const Step& step) const {
  if (!in_range(step)) return std::nullopt;
  const std::int32_t position = positions_[slot(step)];
  const StepPlace home{rank_of_stage_[step.stage.index()], position};
  if (strays_.empty()) return position < 0 ? std::nullopt : std::optional(home);
  const auto stray = strays_.find(step);
  if (stray == strays_.end()) return position < 0 ? std::nullopt : std::optional(home);
  return position < 0 ? stray->second : std::min(home, stray->second);
}

bool StepPlaces::in_range(const Step& step) const {
  if (step.stage.value < 0 || step.stage.value >= shape_.stages()) return false;
  if (!carries_micro_batch(step.kind)) return !step.micro_batch;
  return step.micro_batch && step.micro_batch->value >= 0 &&
         step.micro_batch->value < shape_.micro_batches;
}

std::size_t StepPlaces::slot(const Step& step) const {
  const auto kind = static_cast<std::size_t>(step.kind);
  const auto micro_batches = static_cast<std::size_t>(shape_.micro_batches);
  const std::size_t first = step.stage.index() * (micro_batches * kMicroBatchKinds + kStepKinds);
  if (step.micro_batch) return first + step.micro_batch->index() * kMicroBatchKinds + kind;
  return first + micro_batches * kMicroBatchKinds + (kind - kMicroBatchKinds);
}

void StepPlaces::note(const Step& step, const StepPlace& place) {
  if (!in_range(step)) return;
  if (rank_of_stage_[step.stage.index()] != place.rank) {
    strays_.emplace(step, place);
  } else if (std::int32_t& position = positions_[slot(step)]; position < 0) {
    position = place.position;
  }
}

}  // namespace frostline::pipeline
