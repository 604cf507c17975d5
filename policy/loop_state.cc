#include <fmt/format.h>

#include "base/error.h"
#include "base/to_toml.h"
#include "policy/saved_state.h"
#include "policy/training_loop.h"

// What a run knows of itself: how far it is, and how that is written into a checkpoint and read
// from one.

namespace frostline::policy {

using base::Duration;
using nlohmann::json;
using pipeline::Budget;

namespace {

Duration duration_from(const json& saved) { return Duration(saved.get<Duration::rep>()); }

base::Words names_of(const pipeline::UnitTable& units) {
  base::Words names;
  for (const pipeline::Unit& unit : units.units) names.push_back(unit.name);
  return names;
}

void check_same_run(const json& saved, const pipeline::UnitTable& units,
                    std::int64_t judging_step) {
  if (saved.at("units").get<base::Words>() != names_of(units)) {
    throw base::Error(
        "the checkpoint is of another model: its units have other names; resume with the model and "
        "the freeze.unit that wrote it");
  }
  const auto saved_step = saved.at("judging_step").get<std::int64_t>();
  if (saved_step == judging_step) return;
  throw base::Error(fmt::format(
      "the checkpoint is of a run that is judged every {} steps, and freeze.judging_step = {}; "
      "use {}",
      saved_step, judging_step, saved_step));
}

}  // namespace

bool TrainingLoop::is_due(std::int64_t every) const {
  return every > 0 && state_.budget.used_steps % every == 0;
}

bool TrainingLoop::everything_is_frozen() const {
  return state_.situation.mask.all() && !policy_.fixed_from_the_start();
}

bool TrainingLoop::is_over() const {
  return everything_is_frozen() || budget_for_steps().exhausted();
}

Budget TrainingLoop::budget_for_steps() const {
  Budget budget = state_.budget;
  if (budget.kind == Budget::Kind::kTime) budget.time -= state_.reserve;
  return budget;
}

const Situation& TrainingLoop::situation() {
  state_.situation.steps = state_.budget.used_steps;
  state_.situation.budget_share = budget_for_steps().share();
  return state_.situation;
}

void TrainingLoop::charge(Duration cost) {
  state_.budget.charge(cost);
  if (cost != Duration::zero()) unsaved_ = true;
}

Ending TrainingLoop::ending() const {
  if (everything_is_frozen()) return Ending::kEverythingFrozen;
  return is_over() ? Ending::kBudgetUsed : Ending::kInterrupted;
}

Outcome TrainingLoop::outcome(Ending how) const {
  Outcome outcome;
  outcome.ending = how;
  outcome.budget = state_.budget;
  outcome.mask = state_.situation.mask;
  outcome.judging_steps = state_.situation.judging_steps;
  outcome.freezes = state_.freezes;
  outcome.validation_time = state_.validation_time;
  outcome.score = state_.situation.score;
  return outcome;
}

std::string TrainingLoop::save_state() const {
  const auto& score = state_.situation.score;
  const json state{{"units", names_of(units_)},
                   {"judging_step", settings_.judging_step},
                   {"used_steps", state_.budget.used_steps},
                   {"used_time_ns", state_.budget.used_time.count()},
                   {"mask", state_.situation.mask.text()},
                   {"judging_steps", state_.situation.judging_steps},
                   {"score", score ? json_of(*score) : json(nullptr)},
                   {"steps_into_judging_step", state_.steps_into_judging_step},
                   {"last_validation_step", state_.last_validation_step},
                   {"freezes", state_.freezes},
                   {"validation_time_ns", state_.validation_time.count()},
                   {"reserve_ns", state_.reserve.count()},
                   {"statistics", json_of(state_.statistics)},
                   {"said_validations_are_skipped", state_.said_validations_are_skipped},
                   {"policy", policy_.save()}};
  return state.dump();
}

void TrainingLoop::load_state(const std::string& text) {
  read_state(text, "the training loop", [&](const json& saved) {
    check_same_run(saved, units_, settings_.judging_step);
    State state;
    state.budget = settings_.budget;
    state.budget.used_steps = saved.at("used_steps").get<std::int64_t>();
    state.budget.used_time = duration_from(saved.at("used_time_ns"));
    state.situation.mask = pipeline::FreezeMask::from_text(saved.at("mask").get<std::string>());
    state.situation.judging_steps = saved.at("judging_steps").get<std::int64_t>();
    if (!saved.at("score").is_null()) state.situation.score = double_from(saved.at("score"));
    saved.at("steps_into_judging_step").get_to(state.steps_into_judging_step);
    saved.at("last_validation_step").get_to(state.last_validation_step);
    saved.at("freezes").get_to(state.freezes);
    state.validation_time = duration_from(saved.at("validation_time_ns"));
    state.reserve = duration_from(saved.at("reserve_ns"));
    state.statistics = order_from(saved.at("statistics"));
    if (state.situation.mask.size() != units_.size()) {
      throw_broken_state("the training loop", "its mask is not of these units");
    }
    saved.at("said_validations_are_skipped").get_to(state.said_validations_are_skipped);
    state.started = true;
    policy_.load(saved.at("policy").get<std::string>());
    state_ = std::move(state);
  });
}

}  // namespace frostline::policy
