#include <algorithm>
#include <cassert>

#include "pipeline/rewrite.h"

namespace frostline::pipeline {
namespace {

/// One stage under one mask.
struct StageState {
  StageId stage;
  LayerId first;
  LayerId end;
  LayerId frost_line;  ///< the first layer of the model that trains; one past the last if none does
  bool trains;         ///< some unit of the stage does

  bool below_line() const { return end <= frost_line; }
  bool holds_line() const { return first <= frost_line && frost_line < end; }
};

/// Whether the cut saves the backward below the frost line in this stage.
bool is_cut(Cut cut, StageId stage) {
  return cut == Cut::kPrefix || (cut == Cut::kFirstStage && stage.value == 0);
}

BackwardNeed need_of(const StageState& state, Cut cut) {
  if (is_cut(cut, state.stage)) {
    if (state.below_line()) return BackwardNeed::kNone;
    if (state.holds_line()) return BackwardNeed::kToFrostLine;
  }
  if (!state.trains) return BackwardNeed::kInputGradient;
  return state.stage.value == 0 ? BackwardNeed::kToFrostLine : BackwardNeed::kFull;
}

LayerId first_backward_of(const StageState& state, Cut cut) {
  if (!is_cut(cut, state.stage)) return state.first;
  return std::clamp(state.frost_line, state.first, state.end);
}

StageState state_of(StageId stage, const Partition& partition, const std::vector<bool>& trains) {
  const LayerId first = partition.first(stage);
  const LayerId end = partition.end(stage);
  const auto from = [&](LayerId layer) { return trains.begin() + layer.value; };
  const auto line = std::find(trains.begin(), trains.end(), true) - trains.begin();
  const bool any = std::find(from(first), from(end), true) != from(end);
  return {stage, first, end, {static_cast<int>(line)}, any};
}

}  // namespace

FreezeRules::FreezeRules(const Plan& plan, const UnitTable& units)
    : stages_(plan.schedule->shape.stages()), uniform_(plan.freeze.uniform()) {
  assert(plan.partition.stages() == stages_);
  assert(plan.partition.layers() == units.layers());
  const int masks = uniform_ ? 1 : plan.schedule->shape.micro_batches;
  for (const MicroBatch micro_batch : base::ids<MicroBatch>(masks)) {
    const auto trains = training_layers(units, plan.freeze.mask(micro_batch));
    for (const StageId stage : base::ids<StageId>(stages_)) {
      const StageState state = state_of(stage, plan.partition, trains);
      rules_.push_back({need_of(state, plan.cut), first_backward_of(state, plan.cut)});
    }
  }
}

BackwardNeed FreezeRules::need(StageId stage, MicroBatch micro_batch) const {
  return rules_.at(index(stage, micro_batch)).need;
}

bool FreezeRules::sends_gradient(StageId stage, MicroBatch micro_batch) const {
  return stage.value > 0 && need(stage.previous(), micro_batch) != BackwardNeed::kNone;
}

LayerId FreezeRules::first_backward_layer(StageId stage, MicroBatch micro_batch) const {
  return rules_.at(index(stage, micro_batch)).first_backward;
}

std::size_t FreezeRules::index(StageId stage, MicroBatch micro_batch) const {
  assert(stage.value >= 0 && stage.value < stages_);
  const std::size_t row = uniform_ ? 0 : micro_batch.index();
  return row * static_cast<std::size_t>(stages_) + stage.index();
}

}  // namespace frostline::pipeline
