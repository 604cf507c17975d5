#include "pipeline/step_table.h"

namespace frostline::pipeline {

StepTable::StepTable(const Schedule& schedule, const ActionTimes& times, const FreezeRules* rules,
                     bool uniform)
    : stages_(static_cast<std::size_t>(schedule.shape.stages())), uniform_(uniform) {
  const int batches = uniform ? 1 : schedule.shape.micro_batches;
  rows_.reserve(static_cast<std::size_t>(batches) * stages_);
  for (const MicroBatch batch : base::ids<MicroBatch>(batches)) {
    for (const StageId stage : base::ids<StageId>(schedule.shape.stages())) {
      rows_.push_back(make_row(schedule, times, rules, stage, batch));
    }
  }
}

StepTable::Row StepTable::make_row(const Schedule& schedule, const ActionTimes& times,
                                   const FreezeRules* rules, StageId stage, MicroBatch batch) {
  const BackwardNeed need = rules ? rules->need(stage, batch) : BackwardNeed::kFull;
  Row row;
  for (const auto kind : {ActionKind::kForward, ActionKind::kBackward, ActionKind::kInputGradient,
                          ActionKind::kWeightGradient}) {
    const auto rest = rest_of_computation({kind, stage, batch}, need);
    row.duration[static_cast<std::size_t>(kind)] =
        rest ? times.computation(Action(*rest)).count() : kSaved;
  }
  row.first = stage.value == 0;
  row.last = stage == schedule.last_stage();
  row.learns = need != BackwardNeed::kInputGradient;
  if (!row.last) {
    row.output = way(schedule, times, {ActionKind::kSendForward, stage, batch}, stage.next());
  }
  if (!row.first && (!rules || rules->sends_gradient(stage, batch))) {
    row.gradient = way(schedule, times, {ActionKind::kSendBackward, stage, batch}, stage.previous());
  }
  return row;
}

StepTable::Way StepTable::way(const Schedule& schedule, const ActionTimes& times, const Step& send,
                              StageId to) {
  const int sender = schedule.rank_of(send.stage).value;
  const int receiver = schedule.rank_of(to).value;
  if (sender == receiver) return {};
  const auto number = static_cast<std::int32_t>(channels_.size());
  const auto channel = channels_.emplace(std::pair(sender, receiver), number).first->second;
  return {receiver, channel, times.delay(send).count(), times.occupancy(send).count()};
}

}  // namespace frostline::pipeline
