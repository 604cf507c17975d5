#include "cost/rank_memory.h"

#include <algorithm>
#include <cassert>
#include <map>
#include <set>
#include <utility>

namespace frostline::cost {
namespace {

using base::Bytes;
using pipeline::Action;
using pipeline::ActionKind;
using pipeline::Plan;
using pipeline::Rank;
using pipeline::Schedule;
using pipeline::Step;

Bytes made(const Step& step, const PlanTimes& times) {
  switch (step.kind) {
    case ActionKind::kForward:
      return times.activation(step.stage, *step.micro_batch);
    case ActionKind::kBackward:
    case ActionKind::kInputGradient:
      return times.recomputed(step.stage, *step.micro_batch);
    default:
      return {};
  }
}

Bytes released(const Step& step, const PlanTimes& times) {
  const Bytes whole = times.activation(step.stage, *step.micro_batch) +
                      times.recomputed(step.stage, *step.micro_batch);
  const Bytes for_weights = times.activation_after_input_gradient(step.stage, *step.micro_batch);
  switch (step.kind) {
    case ActionKind::kBackward:
      return whole;
    case ActionKind::kInputGradient:
      return whole - for_weights;
    case ActionKind::kWeightGradient:
      return for_weights;
    default:
      return {};
  }
}

/// The send whose message a transfer sends or receives.
Step sending(const Step& transfer) {
  if (transfer.kind == ActionKind::kReceiveForward)
    return {ActionKind::kSendForward, transfer.stage.previous(), transfer.micro_batch};
  if (transfer.kind == ActionKind::kReceiveBackward)
    return {ActionKind::kSendBackward, transfer.stage.next(), transfer.micro_batch};
  return transfer;
}

Rank neighbour(const Step& transfer, const Schedule& schedule) {
  const bool before =
      transfer.kind == ActionKind::kReceiveForward || transfer.kind == ActionKind::kSendBackward;
  return schedule.rank_of(before ? transfer.stage.previous() : transfer.stage.next());
}

Bytes buffers(const std::vector<Action>& actions, const Schedule& schedule,
              const PlanTimes& times) {
  std::map<std::pair<Rank, bool>, Bytes> largest;  // by neighbour and whether it is sent
  for (const Action& action : actions) {
    const ActionKind kind = action.kind();
    if (!pipeline::is_send(kind) && !pipeline::is_receive(kind)) continue;
    const Step transfer = action.first();
    Bytes& buffer = largest[{neighbour(transfer, schedule), pipeline::is_send(kind)}];
    buffer = std::max(buffer, times.message(sending(transfer)));
  }
  Bytes sum;
  for (const auto& [key, buffer] : largest) sum += buffer;
  return sum;
}

void add_activations(const std::vector<Action>& actions, const PlanTimes& times,
                     RankMemory& memory) {
  visit_held(actions, times, [&](std::size_t position, const HeldActivations& held) {
    const bool higher = held.during > memory.peak_activations;
    if (!higher && memory.peak_position) return;
    memory.peak_activations = held.during;
    memory.peak_position = position;
  });
}

std::set<Rank> ranks_of(const pipeline::Unit& unit, const Plan& plan) {
  std::set<Rank> ranks;
  for (const pipeline::LayerId layer : unit.layers) {
    ranks.insert(plan.schedule->rank_of(plan.partition.stage_of(layer)));
  }
  return ranks;
}

void add_numbers(const Plan& plan, const pipeline::UnitTable& units, const MemoryFigures& figures,
                 std::vector<RankMemory>& memory) {
  assert(figures.without_state.size() == units.size());
  const pipeline::FreezeMask frozen = plan.freeze.whole_step();
  for (const pipeline::UnitId id : base::ids<pipeline::UnitId>(units.size())) {
    const pipeline::Unit& unit = units.units[id.index()];
    for (const Rank rank : ranks_of(unit, plan)) {
      RankMemory& held = memory[rank.index()];
      held.weights += Bytes{figures.weight_bytes} * unit.elements;
      if (!frozen.frozen(id)) held.gradients += Bytes{figures.gradient_bytes} * unit.elements;
      if (figures.without_state.frozen(id)) continue;
      held.optimizer += Bytes{figures.optimizer_bytes} * unit.elements;
    }
  }
}

}  // namespace

void visit_held(const std::vector<Action>& actions, const PlanTimes& times,
                const HeldVisitor& visit) {
  Bytes held;
  for (std::size_t position = 0; position < actions.size(); ++position) {
    const Action& action = actions[position];
    if (!pipeline::is_computation(action)) continue;
    for (const Step& step : action.steps()) held += made(step, times);
    const Bytes during = held;
    for (const Step& step : action.steps()) held -= released(step, times);
    visit(position, {during, held});
  }
}

std::vector<RankMemory> rank_memory(const Plan& plan, const Schedule& schedule,
                                    const PlanTimes& times, const pipeline::UnitTable& units,
                                    const MemoryFigures& figures) {
  std::vector<RankMemory> memory(static_cast<std::size_t>(schedule.shape.ranks));
  for (const Rank rank : base::ids<Rank>(schedule.shape.ranks)) {
    const std::vector<Action>& actions = schedule.actions[rank.index()];
    add_activations(actions, times, memory[rank.index()]);
    memory[rank.index()].buffers = buffers(actions, schedule, times);
  }
  for (const pipeline::StageId stage : base::ids<pipeline::StageId>(schedule.shape.stages())) {
    memory[schedule.rank_of(stage).index()].micro_batch += times.full_activation(stage);
  }
  add_numbers(plan, units, figures, memory);
  return memory;
}

}  // namespace frostline::cost
