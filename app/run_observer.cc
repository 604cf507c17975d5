#include "app/run_observer.h"

#include <fmt/core.h>
#include <fmt/ranges.h>

#include <cmath>
#include <utility>

#include "app/run_record.h"

namespace frostline::app {
namespace {

std::string score_text(const pipeline::Measure& measure, const std::optional<double>& score) {
  return score ? fmt::format("{} {:.3f} {}", measure.name, measure.shown(*score), measure.unit)
               : "";
}

/// A step may be longer than any one action.
base::Duration duration_of(const nlohmann::json& ms) {
  return base::Duration(std::llround(ms.get<double>() * 1e6));
}

}  // namespace

std::string change_text(const pipeline::UnitTable& units, const pipeline::FreezeMask& before,
                        const pipeline::FreezeMask& after) {
  std::vector<std::string> frozen;
  std::vector<std::string> thawed;
  for (auto unit : base::ids<pipeline::UnitId>(units.size())) {
    if (before.frozen(unit) == after.frozen(unit)) continue;
    (after.frozen(unit) ? frozen : thawed).push_back(units.units.at(unit.index()).name);
  }
  std::string text;
  if (!frozen.empty()) text = fmt::format("froze {}", fmt::join(frozen, ", "));
  if (!thawed.empty())
    text += fmt::format("{}thawed {}", text.empty() ? "" : "; ", fmt::join(thawed, ", "));
  return text;
}

RunObserver::RunObserver(const pipeline::UnitTable& units, pipeline::Measure measure,
                         const Supervision& supervision)
    : units_(units),
      measure_(std::move(measure)),
      progress_(supervision.progress),
      interrupt_(supervision.interrupt) {}

void RunObserver::begin(const std::vector<nlohmann::json>& events, std::unique_ptr<RunLog> log) {
  log_ = std::move(log);
  for (const auto& event : events) take(event);
}

void RunObserver::note(const nlohmann::json& event) {
  take(event);
  if (log_) log_->append(event);
}

/// Steps have a time, and start and decisions say what is frozen from then on. All that takes time
/// on the run's clock says so.
void RunObserver::take(const nlohmann::json& event) {
  if (event.at("event") == "step") take_step(event);
  for (const char* cost : {"time_ms", "cost_ms", "transition_ms"})
    if (event.contains(cost)) time_ += duration_of(event.at(cost));
  if (event.at("event") == "checkpoint") checkpoint_time_ += duration_of(event.at("cost_ms"));
  if (!event.contains("mask")) return;
  mask_ = pipeline::FreezeMask::from_text(event.at("mask").get<std::string>());
  state_.frost_line = event.at("frost_line").get<int>();
  state_.frozen_share = event.at("frozen_share").get<double>();
}

void RunObserver::take_step(const nlohmann::json& step) {
  step_times_.add(step.at("time_ms").get<double>());
  if (plans_.empty() || plans_.back().mask != mask_)
    plans_.push_back({mask_, step_of(step), time_});
}

void RunObserver::step_done(const pipeline::StepRecord& step, const pipeline::Budget& budget) {
  note(step_event(step));
  state_.budget_share = budget.share();
  state_.steps = step.number;
  state_.loss = step.loss;
  state_.step_time = step.time;
  progress_.show(state_);
}

void RunObserver::validated(const policy::ValidationRecord& record) {
  note(validation_event(record));
  state_.score = score_text(measure_, record.validation.score);
  if (!state_.score.empty())
    progress_.say(fmt::format("step {}: {} after {:.0f} % of the budget", record.step, state_.score,
                              100 * record.budget_share));
}

void RunObserver::decided(const policy::DecisionRecord& record) {
  note(decision_event(record, units_));
  const auto change = change_text(units_, record.before, record.decision.mask);
  if (!change.empty())
    progress_.say(fmt::format("step {}: {}; frost line {} of {} layers, {:.1f} % frozen",
                              record.step, change, record.frost_line, units_.layers(),
                              100 * record.frozen_share));
  if (!record.decision.remark.empty()) message(record.decision.remark);
}

void RunObserver::checkpointed(std::int64_t step, base::Duration cost) {
  note(checkpoint_event(step, cost));
}

void RunObserver::message(const std::string& text) {
  note(message_event(text));
  progress_.say(text);
}

}  // namespace frostline::app
