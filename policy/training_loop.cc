#include "policy/training_loop.h"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <limits>
#include <utility>

#include "base/error.h"

namespace frostline::policy {

using base::Duration;
using pipeline::Budget;
using pipeline::FreezeMask;
using pipeline::StepRecord;
using pipeline::UnitId;

TrainingLoop::TrainingLoop(pipeline::World& world, Policy& policy, const pipeline::UnitTable& units,
                           Planner planner, LoopSettings settings, LoopObserver& observer)
    : world_(world),
      policy_(policy),
      units_(units),
      planner_(std::move(planner)),
      settings_(std::move(settings)),
      observer_(observer) {
  assert(settings_.judging_step > 0);
  state_.budget = settings_.budget;
}

std::int64_t TrainingLoop::resume(const std::filesystem::path& checkpoint) {
  load_state(world_.load(checkpoint));
  unsaved_ = false;
  return state_.budget.used_steps;
}

Outcome TrainingLoop::run() {
  if (state_.started) {
    go_on();
  } else {
    start();
  }
  while (!is_over() && !stop_requested_) run_to_next_stop();
  return outcome(finish());
}

void TrainingLoop::start() {
  state_.started = true;
  state_.situation.mask = policy_.initial_mask();
  assert(state_.situation.mask.size() == units_.size());
  charge(go_to_plan());
  validate();
  state_.reserve = state_.validation_time;
  check_time_is_left();
}

void TrainingLoop::check_time_is_left() const {
  const Budget& budget = state_.budget;
  if (budget.kind != Budget::Kind::kTime || !budget_for_steps().exhausted()) return;
  throw base::Error(fmt::format(
      "the time budget of {} leaves no time to train: setting up and a first validation took {}, "
      "and {} are kept for the last validation; give train.time_s more than {:.3g}",
      base::to_text(budget.time), base::to_text(budget.used_time), base::to_text(state_.reserve),
      base::to_seconds(budget.used_time + state_.reserve)));
}

/// Setting up again is what the interruption costs.
void TrainingLoop::go_on() { go_to_plan(); }

void TrainingLoop::run_to_next_stop() {
  if (state_.steps_into_judging_step == 0) state_.statistics = policy_.needs(situation());
  const pipeline::Order order = next_order();
  const pipeline::Report report = world_.run_steps(plan_, order);
  check_progress(order, report);
  if (report.steps.empty()) return;
  const bool all_steps_ran = std::ssize(report.steps) == order.steps;
  if (order.ends_judging_step && all_steps_ran) judge(report);
  if (!is_over()) validate_if_due();
  if (!is_over() && is_due(settings_.checkpoint_every)) checkpoint();
}

pipeline::Order TrainingLoop::next_order() {
  const std::int64_t steps = steps_to_next_stop();
  const std::int64_t into = state_.steps_into_judging_step;
  pipeline::Order order;
  order.steps = static_cast<int>(steps);
  order.learning_rate = settings_.learning_rate;
  order.budget = budget_for_steps();
  order.step_time = step_time_;
  order.statistics = state_.statistics;
  order.begins_judging_step = into == 0;
  order.ends_judging_step = into + steps == settings_.judging_step;
  // The last step ends the order anyway: it is complete, also when a stop is requested there.
  order.after_step = [this, left = steps](const StepRecord& step) mutable {
    step_done(step);
    return --left == 0 || !stop_requested_;
  };
  return order;
}

std::int64_t TrainingLoop::steps_to_next_stop() const {
  const std::int64_t done = state_.budget.used_steps;
  std::int64_t steps = std::min<std::int64_t>(
      settings_.judging_step - state_.steps_into_judging_step, std::numeric_limits<int>::max());
  for (const std::int64_t every : {settings_.validate_every, settings_.checkpoint_every}) {
    if (every > 0) steps = std::min(steps, every - done % every);
  }
  if (state_.budget.kind == Budget::Kind::kSteps) {
    steps = std::min(steps, state_.budget.steps - done);
  }
  assert(steps > 0);
  return steps;
}

void TrainingLoop::step_done(const StepRecord& step) {
  state_.budget.charge_step(step.time);
  ++state_.steps_into_judging_step;
  unsaved_ = true;
  observer_.step_done(step, state_.budget);
  stop_requested_ = observer_.stop_requested() || stop_requested_;
}

void TrainingLoop::check_progress(const pipeline::Order& order, const pipeline::Report& report) {
  if (std::ssize(report.steps) < order.steps && !is_over()) {
    // An interruption ends an order early, maybe before its first step.
    stop_requested_ = stop_requested_ || observer_.stop_requested();
    assert(stop_requested_);
  }
  if (state_.budget.kind != Budget::Kind::kTime || report.steps.empty()) return;
  const auto takes_time = [](const StepRecord& step) { return step.time > Duration::zero(); };
  if (std::any_of(report.steps.begin(), report.steps.end(), takes_time)) return;
  throw base::Error(
      "a step takes no time on the run's clock, so that a time budget would never end; give the "
      "actions a cost, or use train.budget = \"steps\"");
}

void TrainingLoop::judge(const pipeline::Report& report) {
  assert(report.statistics.size() == state_.statistics.units.size());
  state_.steps_into_judging_step = 0;
  ++state_.situation.judging_steps;
  DecisionRecord record;
  record.step = state_.budget.used_steps;
  record.judging_step = state_.situation.judging_steps;
  record.before = state_.situation.mask;
  record.decision = policy_.decide(situation(), report.statistics);
  record.transition = apply(record.decision.mask);
  record.frost_line = pipeline::frost_line(units_, record.decision.mask);
  record.frozen_share = pipeline::frozen_share(units_, record.decision.mask);
  observer_.decided(record);
}

Duration TrainingLoop::apply(const FreezeMask& mask) {
  const FreezeMask before = state_.situation.mask;
  assert(mask.size() == before.size());
  if (mask == before) return {};
  for (const UnitId unit : base::ids<UnitId>(mask.size())) {
    if (mask.frozen(unit) && !before.frozen(unit)) ++state_.freezes;
  }
  state_.situation.mask = mask;
  const Duration cost = go_to_plan();
  charge(cost);
  return cost;
}

/// The plan of the mask that stands; what going there costs on the run's clock.
Duration TrainingLoop::go_to_plan() {
  plan_ = planner_(state_.situation.mask);
  if (is_predicted()) step_time_ = settings_.predicted_step(plan_);
  const Duration took = world_.transition(plan_);
  return is_predicted() ? Duration{} : took;
}

void TrainingLoop::validate_if_due() {
  if (is_due(settings_.validate_every) && validation_is_affordable()) validate();
}

/// With this one, taken to cost as much as the first, and the last one in the sum.
bool TrainingLoop::validation_is_affordable() {
  const Budget& budget = state_.budget;
  if (budget.kind != Budget::Kind::kTime) return true;
  const Duration total = state_.validation_time + 2 * state_.reserve;
  const double allowed = settings_.validate_share * base::to_seconds(budget.time);
  if (base::to_seconds(total) <= allowed) return true;
  if (!std::exchange(state_.said_validations_are_skipped, true)) {
    observer_.message(fmt::format(
        "no validation after step {}: with it and the last one validations would take {}, more "
        "than train.validate_share = {} of the budget of {}",
        budget.used_steps, base::to_text(total), settings_.validate_share,
        base::to_text(budget.time)));
  }
  return false;
}

void TrainingLoop::validate() {
  ValidationRecord record;
  record.step = state_.budget.used_steps;
  record.budget_share = situation().budget_share;
  record.validation = world_.validate(pipeline::Split::kValidation);
  if (is_predicted()) record.validation.cost = settings_.predicted_validation;
  charge(record.validation.cost);
  state_.validation_time += record.validation.cost;
  state_.last_validation_step = record.step;
  state_.situation.score = record.validation.score;
  unsaved_ = true;
  observer_.validated(record);
}

void TrainingLoop::checkpoint() {
  if (settings_.checkpoint.empty()) return;
  const Duration took = world_.save(settings_.checkpoint, save_state());
  unsaved_ = false;
  // Charged after it is written: the file does not know of its own cost.
  const Duration cost = is_predicted() ? Duration{} : took;
  charge(cost);
  observer_.checkpointed(state_.budget.used_steps, cost);
}

Ending TrainingLoop::finish() {
  // Before the checkpoint of an interruption, which may use up what is left of a time budget.
  const Ending how = ending();
  if (everything_is_frozen()) {
    observer_.message(fmt::format("every unit is frozen after step {}: nothing is left to train",
                                  state_.budget.used_steps));
  }
  const bool is_validated = state_.last_validation_step == state_.budget.used_steps;
  if (how != Ending::kInterrupted && !is_validated) validate();
  if (unsaved_) checkpoint();
  return how;
}

}  // namespace frostline::policy
