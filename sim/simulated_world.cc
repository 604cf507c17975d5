#include "sim/simulated_world.h"

#include <fmt/format.h>

#include <cassert>
#include <utility>

#include "base/error.h"
#include "cost/stage_cost.h"
#include "pipeline/rewrite.h"
#include "sim/checkpoint.h"

namespace frostline::sim {
namespace {

using base::Duration;

/// Policies that draw a mask every step would fill the memory otherwise.
constexpr std::size_t kRememberedSteps = 1 << 12;

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

SimulatedWorld::SimulatedWorld(cost::ModelCost cost, pipeline::UnitTable units)
    : cost_(std::move(cost)), units_(std::move(units)) {
  assert(static_cast<int>(cost_.layers.size()) == units_.layers());
}

pipeline::Report SimulatedWorld::run_steps(const pipeline::Plan& plan,
                                           const pipeline::Order& order) {
  assert(now_ != nullptr && plan == now_->first);
  refuse_statistics(order);
  pipeline::Report report;
  pipeline::Budget budget = order.budget;
  for (int i = 0; i < order.steps && !budget.exhausted(); ++i) {
    if (!repeats()) last_ = simulate(plan, clock_, steps_done_ + 1);
    pipeline::StepRecord record = begin_step(order, budget);
    record.number = ++steps_done_;
    record.wall = step().time();
    record.time = order.step_time.value_or(record.wall);
    clock_ += record.wall;
    budget.charge_step(record.time);
    report.steps.push_back(record);
    if (order.after_step && !order.after_step(record)) break;
  }
  return report;
}

Duration SimulatedWorld::transition(const pipeline::Plan& plan) {
  auto found = steps_.find(plan);
  if (found == steps_.end()) {
    SimulatedStep step = simulate(plan, clock_, steps_done_ + 1);  // throws before anything changes
    if (steps_.size() >= kRememberedSteps) steps_.clear();
    found = steps_.emplace(plan, std::move(step)).first;
  }
  now_ = &*found;
  last_.reset();
  return Duration::zero();
}

pipeline::Schedule SimulatedWorld::schedule() const {
  assert(now_ != nullptr);
  return pipeline::executable_schedule(now_->first, units_);
}

pipeline::Validation SimulatedWorld::validate(pipeline::Split) {
  return {std::nullopt, cost::rounded(cost_.validation_ns)};
}

pipeline::Measure SimulatedWorld::measure() const { return {"score", "", false}; }

Duration SimulatedWorld::save(const std::filesystem::path& file, const std::string& loop_state) {
  write_checkpoint(file, units_, {loop_state, steps_done_, clock_});
  return Duration::zero();
}

std::string SimulatedWorld::load(const std::filesystem::path& file) {
  assert(now_ == nullptr);
  EventCheckpoint checkpoint = read_checkpoint(file, units_);
  steps_done_ = checkpoint.steps_done;
  clock_ = checkpoint.clock;
  return std::move(checkpoint.loop_state);
}

const SimulatedStep& SimulatedWorld::step() const {
  assert(now_ != nullptr);
  return last_ ? *last_ : now_->second;
}

}  // namespace frostline::sim
