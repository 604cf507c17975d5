#include "pipeline/step_path.h"

#include <algorithm>
#include <cassert>

#include "base/error.h"

namespace frostline::pipeline {

StepPath::StepPath(const Plan& plan, const UnitTable& units, const ActionTimes& times)
    : plan_(plan),
      units_(units),
      rules_(plan, units),
      times_(&times),
      stages_(static_cast<std::size_t>(plan.schedule->shape.stages())),
      micro_batches_(static_cast<std::size_t>(plan.schedule->shape.micro_batches)),
      lowered_(has_transfers(plan.schedule)),
      table_(plan.schedule, times, &rules_, plan.freeze.uniform() && times.uniform()) {
  channel_free_.resize(table_.channels());
  output_.resize(stages_ * micro_batches_);
  gradient_.resize(output_.size());
  const auto ranks = static_cast<std::size_t>(plan.schedule->shape.ranks);
  ranks_.resize(ranks);
  ready_.resize(ranks);
  use_.ranks.resize(ranks);
  use_.gradients.resize(stages_);
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
  std::fill(output_.begin(), output_.end(), kUnknown);
  std::fill(gradient_.begin(), gradient_.end(), kUnknown);
  std::fill(channel_free_.begin(), channel_free_.end(), 0);
  std::fill(use_.gradients.begin(), use_.gradients.end(), LastGradient{});
  forwards_ = 0;
  for (std::size_t i = 0; i < ranks_.size(); ++i) {
    const auto& actions = plan_.schedule->actions[i];
    ranks_[i] = RankState{actions.data(), actions.data() + actions.size(), nullptr, 0, {}};
    ready_[i] = static_cast<std::int32_t>(i);
  }
  ready_first_ = 0;
  ready_count_ = ranks_.size();
}

/// As far as the rank gets.
void StepPath::advance(RankState& rank) {
  rank.awaited = nullptr;
  for (; rank.next != rank.end; ++rank.next) {
    const Action& action = *rank.next;
    if (is_computation(action)) {
      if (!(action.is_overlap() ? compute_pair(rank, action) : compute(rank, action))) return;
    } else if (is_send(action.kind())) {
      send(action, rank.clock);
    }
  }
}

/// Returns whether all inputs are known. Of what freezing saves nothing is done.
inline bool StepPath::compute(RankState& rank, const Action& action) {
  const std::size_t stage = action.stage_index();
  const Row& own = table_.row(stage, action.micro_batch_index());
  const Nanoseconds duration = own.duration[static_cast<std::size_t>(action.kind())];
  if (duration == StepTable::kSaved) return true;
  const std::size_t at = cell(stage, action.micro_batch_index());
  if (!take_inputs(rank, action.kind(), own, at)) return false;
  const Nanoseconds start = rank.clock;
  rank.clock += duration;
  rank.use.add(base::Duration(start), base::Duration(rank.clock));
  note(action.kind(), own, stage, at, start, rank.clock);
  return true;
}

bool StepPath::compute_pair(RankState& rank, const Action& pair) {
  std::optional<Step> rest[2];
  std::size_t count = 0;
  for (const Step& step : pair.steps()) {
    const Row& own = table_.row(step.stage.index(), step.micro_batch->index());
    const auto left = rest_of_computation(step, rules_.need(step.stage, *step.micro_batch));
    if (!left) continue;
    const std::size_t at = cell(step.stage.index(), step.micro_batch->index());
    if (!take_inputs(rank, step.kind, own, at)) return false;
    rest[count++] = left;
  }
  if (count == 0) return true;
  const Action left = count == 2 ? Action::overlap(*rest[0], *rest[1]) : Action(*rest[0]);
  const Nanoseconds start = rank.clock;
  rank.clock += times_->computation(left).count();
  rank.use.add(base::Duration(start), base::Duration(rank.clock));
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t stage = rest[i]->stage.index();
    const std::size_t batch = rest[i]->micro_batch->index();
    note(rest[i]->kind, table_.row(stage, batch), stage, cell(stage, batch), start, rank.clock);
  }
  return true;
}

/// Moves the rank's clock to the arrival of the input. Returns whether that is known.
inline bool StepPath::take_inputs(RankState& rank, ActionKind kind, const Row& row,
                                  std::size_t cell) const {
  const Nanoseconds* input = nullptr;
  if (kind == ActionKind::kForward) {
    if (row.first) return true;
    input = &output_[cell - micro_batches_];
  } else if (kind == ActionKind::kWeightGradient) {
    return gradient_[cell] != kUnknown;  // its I stands before it in a sound list
  } else {
    if (output_[cell] == kUnknown) return false;  // so does its forward
    if (row.last) return true;
    input = &gradient_[cell + micro_batches_];
  }
  if (*input < 0) {
    rank.awaited = input;
    return false;
  }
  rank.clock = std::max(rank.clock, *input);
  return true;
}

inline void StepPath::note(ActionKind kind, const Row& row, std::size_t stage, std::size_t cell,
                           Nanoseconds start, Nanoseconds end) {
  const bool forward = kind == ActionKind::kForward;
  if (kind == ActionKind::kWeightGradient || (kind == ActionKind::kBackward && row.learns)) {
    use_.gradients[stage] = {base::Duration(start), base::Duration(end)};
    if (kind == ActionKind::kWeightGradient) return;
  }
  forwards_ += static_cast<std::size_t>(forward);
  Nanoseconds& made = forward ? output_[cell] : gradient_[cell];
  const Way& way = forward ? row.output : row.gradient;
  if (way.rank < 0) {
    made = end;
  } else if (lowered_) {
    made = kUnsent;
  } else {
    hand_over(way, made, end);
  }
}

void StepPath::send(const Action& send, Nanoseconds now) {
  const bool forward = send.kind() == ActionKind::kSendForward;
  const Row& own = table_.row(send.stage_index(), send.micro_batch_index());
  const Way& way = forward ? own.output : own.gradient;
  if (way.rank < 0) return;
  const std::size_t at = cell(send.stage_index(), send.micro_batch_index());
  hand_over(way, forward ? output_[at] : gradient_[at], now);
}

inline void StepPath::hand_over(const Way& way, Nanoseconds& cell, Nanoseconds now) {
  Nanoseconds leaves = now;
  if (way.occupancy > 0) {
    Nanoseconds& free = channel_free_[static_cast<std::size_t>(way.channel)];
    leaves = std::max(now, free);
    free = leaves + way.occupancy;
  }
  cell = leaves + way.delay;
  RankState& waiting = ranks_[static_cast<std::size_t>(way.rank)];
  if (waiting.awaited != &cell) return;
  waiting.awaited = nullptr;
  std::size_t slot = ready_first_ + ready_count_++;
  if (slot >= ready_.size()) slot -= ready_.size();
  ready_[slot] = way.rank;
  __builtin_prefetch(waiting.next + 4);  // of a thousand lists none stays in the cache
}

bool StepPath::ended() const {
  const bool all = std::all_of(ranks_.begin(), ranks_.end(),
                               [](const RankState& rank) { return rank.next == rank.end; });
  return all && forwards_ == output_.size();
}

/// The rules of a sound schedule say what is wrong with it.
void StepPath::fail() const {
  executable_schedule(plan_, units_);
  throw base::Error("schedule '" + plan_.schedule->name +
                    "' does not end, though it breaks no rule of a schedule; report this");
}

}  // namespace frostline::pipeline
