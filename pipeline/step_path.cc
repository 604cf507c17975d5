#include "pipeline/step_path.h"

#include <algorithm>
#include <cassert>
#include <map>
#include <utility>

#include "base/error.h"

namespace frostline::pipeline {

StepPath::StepPath(const Plan& plan, const UnitTable& units, const ActionTimes& times)
    : plan_(plan),
      units_(units),
      times_(times, plan.schedule->shape),
      micro_batches_(static_cast<std::size_t>(plan.schedule->shape.micro_batches)),
      lowered_(has_transfers(plan.schedule)),
      uniform_(plan.freeze.uniform()) {
  add_rules(FreezeRules(plan, units));
  add_stages();
  const auto ranks = static_cast<std::size_t>(plan.schedule->shape.ranks);
  const std::size_t cells = stages_.size() * micro_batches_;
  forward_.resize(cells);
  gradient_.resize(cells);
  ranks_.resize(ranks);
  ready_.resize(ranks);
  use_.ranks.resize(ranks);
  use_.gradients.resize(stages_.size());
}

void StepPath::add_rules(const FreezeRules& rules) {
  const int rows = uniform_ ? 1 : static_cast<int>(micro_batches_);
  for (const MicroBatch batch : base::ids<MicroBatch>(rows)) {
    for (const StageId stage : base::ids<StageId>(plan_.schedule->shape.stages())) {
      rules_.push_back({rules.need(stage, batch), rules.sends_gradient(stage, batch)});
    }
  }
}

void StepPath::add_stages() {
  const Schedule& schedule = plan_.schedule;
  std::map<std::pair<int, int>, std::int32_t> channels;
  const auto neighbour = [&](Rank from, StageId stage) {
    const Rank to = schedule.rank_of(stage);
    if (to == from) return Neighbour{};
    const auto number = static_cast<std::int32_t>(channels.size());
    return Neighbour{to.value, channels.emplace(std::pair(from.value, to.value), number).first->second};
  };
  for (const StageId stage : base::ids<StageId>(schedule.shape.stages())) {
    const Rank rank = schedule.rank_of(stage);
    StageRow row{rank.value, stage == schedule.last_stage(), {}, {}};
    if (!row.last) row.next = neighbour(rank, stage.next());
    if (stage.value > 0) row.previous = neighbour(rank, stage.previous());
    stages_.push_back(row);
  }
  channel_free_.resize(channels.size());
}

const StepUse& StepPath::evaluate() {
  reset();
  while (ready_count_ > 0) {
    RankState& rank = ranks_[static_cast<std::size_t>(ready_[ready_first_])];
    ready_first_ = ready_first_ + 1 == ready_.size() ? 0 : ready_first_ + 1;
    --ready_count_;
    advance(rank);
  }
  if (!ended()) fail();
  for (std::size_t i = 0; i < ranks_.size(); ++i) use_.ranks[i] = ranks_[i].use;
  return use_;
}

void StepPath::reset() {
  std::fill(forward_.begin(), forward_.end(), kUnknown);
  std::fill(gradient_.begin(), gradient_.end(), kUnknown);
  std::fill(channel_free_.begin(), channel_free_.end(), 0);
  std::fill(use_.gradients.begin(), use_.gradients.end(), LastGradient{});
  forwards_ = 0;
  for (std::size_t i = 0; i < ranks_.size(); ++i) {
    const auto& actions = plan_.schedule->actions[i];
    ranks_[i] = RankState{actions.data(), actions.data() + actions.size()};
    ready_[i] = static_cast<std::int32_t>(i);
  }
  ready_first_ = 0;
  ready_count_ = ranks_.size();
}

void StepPath::advance(RankState& rank) {
  rank.awaited = nullptr;
  for (; rank.next != rank.end; ++rank.next) {
    const Action& action = *rank.next;
    if (is_computation(action)) {
      if (!compute(rank, rest_of(action))) return;
    } else if (is_send(action.kind())) {
      send(action.first(), rank.clock);
    }
  }
}

/// Returns whether it could.
bool StepPath::compute(RankState& rank, const Rest& rest) {
  for (int i = 0; i < rest.count; ++i) {
    if (!has_inputs(rank, rest.steps[i])) return false;
  }
  if (rest.count == 0) return true;
  const Action left =
      rest.count == 2 ? Action::overlap(rest.steps[0], rest.steps[1]) : Action(rest.steps[0]);
  // has_inputs has moved the clock to the arrival of the last input.
  const Nanoseconds start = rank.clock;
  rank.clock = start + times_.computation(left).count();
  rank.use.add(base::Duration(start), base::Duration(rank.clock));
  for (int i = 0; i < rest.count; ++i) note(rest.steps[i], start, rank.clock);
  return true;
}

bool StepPath::has_inputs(RankState& rank, const Step& computation) const {
  const StageId stage = computation.stage;
  const std::size_t own = cell(stage, *computation.micro_batch);
  const Nanoseconds* input = nullptr;
  switch (computation.kind) {
    case ActionKind::kForward:
      if (stage.value == 0) return true;
      input = &forward_[own - micro_batches_];
      break;
    case ActionKind::kWeightGradient:
      return gradient_[own] != kUnknown;  // its I stands before it in a sound list
    default:
      if (forward_[own] == kUnknown) return false;  // so does its forward
      if (stages_[stage.index()].last) return true;
      input = &gradient_[own + micro_batches_];
  }
  if (*input < 0) {
    rank.awaited = input;
    return false;
  }
  rank.clock = std::max(rank.clock, *input);
  return true;
}

void StepPath::note(const Step& computation, Nanoseconds start, Nanoseconds end) {
  const std::size_t own = cell(computation.stage, *computation.micro_batch);
  const StageRow& stage = stages_[computation.stage.index()];
  const ActionKind kind = computation.kind;
  const Rule& rules = rule(computation.stage, *computation.micro_batch);
  const bool learns = rules.need != BackwardNeed::kInputGradient;
  if (kind == ActionKind::kWeightGradient || (kind == ActionKind::kBackward && learns)) {
    use_.gradients[computation.stage.index()] = {base::Duration(start), base::Duration(end)};
  }
  if (kind == ActionKind::kWeightGradient) return;
  const bool forward = kind == ActionKind::kForward;
  forwards_ += forward ? 1 : 0;
  Nanoseconds& own_cell = forward ? forward_[own] : gradient_[own];
  const Neighbour& receiver = forward ? stage.next : stage.previous;
  if (receiver.rank < 0 || (!forward && !rules.sends_gradient)) {
    own_cell = end;
  } else if (lowered_) {
    own_cell = kUnsent;
  } else {
    hand_over(receiver,
              {forward ? ActionKind::kSendForward : ActionKind::kSendBackward, computation.stage,
               computation.micro_batch},
              own_cell, end);
  }
}

void StepPath::send(const Step& send, Nanoseconds now) {
  const bool forward = send.kind == ActionKind::kSendForward;
  if (!forward && !rule(send.stage, *send.micro_batch).sends_gradient) return;
  const std::size_t own = cell(send.stage, *send.micro_batch);
  const StageRow& stage = stages_[send.stage.index()];
  hand_over(forward ? stage.next : stage.previous, send, forward ? forward_[own] : gradient_[own],
            now);
}

void StepPath::hand_over(const Neighbour& receiver, const Step& send, Nanoseconds& cell,
                         Nanoseconds now) {
  const StageTimes::Transfer transfer = times_.transfer(send);
  Nanoseconds leaves = now;
  if (transfer.occupancy > base::Duration::zero()) {
    Nanoseconds& free = channel_free_[static_cast<std::size_t>(receiver.channel)];
    leaves = std::max(now, free);
    free = leaves + transfer.occupancy.count();
  }
  cell = leaves + transfer.delay.count();
  RankState& waiting = ranks_[static_cast<std::size_t>(receiver.rank)];
  if (waiting.awaited != &cell) return;
  waiting.awaited = nullptr;
  std::size_t slot = ready_first_ + ready_count_++;
  if (slot >= ready_.size()) slot -= ready_.size();
  ready_[slot] = receiver.rank;
}

StepPath::Rest StepPath::rest_of(const Action& action) const {
  Rest rest;
  if (!action.is_overlap()) {
    add_rest(action.first(), rest);
    return rest;
  }
  for (const Step& step : action.steps()) add_rest(step, rest);
  return rest;
}

/// As rewrite leaves it: an I in place of a B, or nothing.
bool StepPath::add_rest(const Step& step, Rest& rest) const {
  const auto left = rest_of_computation(step, rule(step.stage, *step.micro_batch).need);
  if (!left) return false;
  rest.steps[rest.count++] = *left;
  return true;
}

const StepPath::Rule& StepPath::rule(StageId stage, MicroBatch micro_batch) const {
  const std::size_t row = uniform_ ? 0 : micro_batch.index();
  return rules_[row * stages_.size() + stage.index()];
}

bool StepPath::ended() const {
  const bool all = std::all_of(ranks_.begin(), ranks_.end(),
                               [](const RankState& rank) { return rank.next == rank.end; });
  return all && forwards_ == static_cast<std::int64_t>(forward_.size());
}

/// The rules of a sound schedule say what is wrong with it.
void StepPath::fail() const {
  executable_schedule(plan_, units_);
  throw base::Error("schedule '" + plan_.schedule->name +
                    "' does not end, though it breaks no rule of a schedule; report this");
}

}  // namespace frostline::pipeline
