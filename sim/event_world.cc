#include "sim/event_world.h"

#include <fmt/format.h>

#include <cassert>
#include <utility>

#include "base/error.h"
#include "cost/stage_cost.h"
#include "sim/checkpoint.h"

namespace frostline::sim {
namespace {

using base::Duration;

/// Policies that draw a mask every step would fill the memory with timelines otherwise.
constexpr std::size_t kRememberedSteps = 64;

pipeline::StepRecord begin_step(const pipeline::Order& order, const pipeline::Budget& budget) {
  pipeline::StepRecord record;
  record.budget_share = budget.share();
  record.learning_rate = order.learning_rate.at(record.budget_share);
  return record;
}

void refuse_statistics(const pipeline::Order& order) {
  if (order.statistics.units.empty()) return;
  throw base::Error(
      "the simulated world has no model of learning yet, so there are no gradients to judge units "
      "by; policies that work in it: none, last_k, mask, file");
}

}  // namespace

EventWorld::EventWorld(cost::ModelCost cost, pipeline::UnitTable units)
    : cost_(std::move(cost)), units_(std::move(units)) {
  assert(static_cast<int>(cost_.layers.size()) == units_.layers());
}

pipeline::Report EventWorld::run_steps(const pipeline::Plan& plan, const pipeline::Order& order) {
  assert(plan_ && plan == *plan_);
  (void)plan;
  refuse_statistics(order);
  pipeline::Report report;
  pipeline::Budget budget = order.budget;
  const Duration wall = step().time();
  const Duration time = order.step_time.value_or(wall);
  for (int i = 0; i < order.steps && !budget.exhausted(); ++i) {
    pipeline::StepRecord record = begin_step(order, budget);
    record.number = ++steps_done_;
    record.time = time;
    record.wall = wall;
    budget.charge_step(time);
    report.steps.push_back(record);
    if (order.after_step && !order.after_step(record)) break;
  }
  return report;
}

Duration EventWorld::transition(const pipeline::Plan& plan) {
  if (!steps_.contains(plan)) {
    SimulatedStep step = simulate(plan);  // throws before anything changes
    if (steps_.size() >= kRememberedSteps) steps_.clear();
    steps_.emplace(plan, std::move(step));
  }
  plan_ = plan;
  return Duration::zero();
}

pipeline::Schedule EventWorld::schedule() const {
  assert(plan_);
  return pipeline::executable_schedule(*plan_, units_);
}

SimulatedStep EventWorld::simulate(const pipeline::Plan& plan) const {
  const pipeline::Schedule schedule = pipeline::executable_schedule(plan, units_);
  return simulate_step(schedule, cost::PlanTimes(cost_, units_, plan));
}

pipeline::Validation EventWorld::validate(pipeline::Split) {
  return {std::nullopt, cost::rounded(cost_.validation_ns)};
}

pipeline::Measure EventWorld::measure() const { return {"score", "", false}; }

Duration EventWorld::save(const std::filesystem::path& file, const std::string& loop_state) {
  write_checkpoint(file, units_, {loop_state, steps_done_});
  return Duration::zero();
}

std::string EventWorld::load(const std::filesystem::path& file) {
  assert(!plan_);
  EventCheckpoint checkpoint = read_checkpoint(file, units_);
  steps_done_ = checkpoint.steps_done;
  return std::move(checkpoint.loop_state);
}

const SimulatedStep& EventWorld::step() const {
  assert(plan_);
  return steps_.at(*plan_);
}

}  // namespace frostline::sim
