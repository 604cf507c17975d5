#include "tests/policy/fake_world.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>

namespace frostline::policy {

using base::Duration;
using nlohmann::json;
using pipeline::Order;
using pipeline::Plan;
using pipeline::StepRecord;
using pipeline::UnitId;

FakeWorld::FakeWorld(const pipeline::UnitTable& units, FakeDisk& disk)
    : disk_(disk), weights_(units.units.size(), 1.0) {}

const pipeline::FreezeMask& FakeWorld::mask() const { return plan_.freeze.mask({0}); }

Duration FakeWorld::transition(const Plan& plan) {
  plan_ = plan;
  is_set_up_ = true;
  calls_.push_back("transition " + mask().text());
  return costs_.transition;
}

pipeline::Report FakeWorld::run_steps(const Plan& plan, const Order& order) {
  EXPECT_TRUE(is_set_up_ && plan == plan_) << "a plan changes in a transition only";
  EXPECT_GT(order.steps, 0);
  calls_.push_back(fmt::format("steps {}", order.steps));
  orders_.push_back(order);
  pipeline::Report report;
  if (refuses_steps_) return report;
  if (order.begins_judging_step) begin(order.statistics);
  pipeline::Budget budget = order.budget;
  while (std::ssize(report.steps) < order.steps && !budget.exhausted()) {
    report.steps.push_back(step(order, budget));
    budget.charge_step(report.steps.back().time);
    if (order.after_step && !order.after_step(report.steps.back())) break;
  }
  const bool complete = std::ssize(report.steps) == order.steps;
  if (order.ends_judging_step && complete) report.statistics = finish();
  return report;
}

void FakeWorld::begin(const pipeline::StatisticsOrder& order) {
  ledger_.begin(order);
  sums_.assign(2 * order.units.size(), 0.0);
}

StepRecord FakeWorld::step(const Order& order, const pipeline::Budget& budget) {
  ++steps_done_;
  observe();
  for (std::size_t unit = 0; unit < weights_.size(); ++unit) {
    const double rate = 0.06 / static_cast<double>(1 + unit);
    if (!mask().frozen({static_cast<int>(unit)})) weights_[unit] *= 1.0 - rate;
  }
  return {.number = steps_done_,
          .time = order.step_time.value_or(step_cost()),
          .wall = step_cost(),
          .learning_rate = order.learning_rate.at(budget.share()),
          .budget_share = budget.share(),
          .loss = size({0})};
}

Duration FakeWorld::step_cost() const {
  return costs_.step + (mask().size() - mask().count()) * costs_.unfrozen_unit;
}

/// With a swing that all units share and a small one of their own.
double FakeWorld::size(UnitId unit) const {
  const auto t = static_cast<double>(steps_done_);
  const double swing = (1 + 0.3 * std::sin(t)) * (1 + 0.01 * std::sin(t * (2 + unit.value)));
  return weights_[unit.index()] * swing;
}

void FakeWorld::observe() {
  std::vector<GradientSample> samples;
  for (const UnitId unit : ledger_.order().units) {
    EXPECT_FALSE(mask().frozen(unit)) << "a frozen unit has no gradient";
    const double turn = static_cast<double>(steps_done_) * (1 + unit.value);
    const double x = size(unit) * std::cos(turn);
    const double y = size(unit) * std::sin(turn);
    sums_[2 * samples.size()] += x;
    sums_[2 * samples.size() + 1] += y;
    samples.push_back({(std::abs(x) + std::abs(y)) / 2, x * x + y * y});
  }
  ledger_.observe(samples);
}

std::vector<pipeline::UnitStatistics> FakeWorld::finish() const {
  std::vector<double> squared_norms;
  for (std::size_t i = 0; i < sums_.size(); i += 2) {
    squared_norms.push_back(sums_[i] * sums_[i] + sums_[i + 1] * sums_[i + 1]);
  }
  return ledger_.finish(squared_norms);
}

pipeline::Validation FakeWorld::validate(pipeline::Split split) {
  EXPECT_EQ(split, pipeline::Split::kValidation);
  calls_.push_back("validate");
  double sum = 0;
  for (const double weight : weights_) sum += weight;
  return {-sum, costs_.validation};
}

Duration FakeWorld::save(const std::filesystem::path& file, const std::string& loop_state) {
  calls_.push_back("save");
  const json saved{{"loop", loop_state},
                   {"steps", steps_done_},
                   {"weights", weights_},
                   {"ledger", ledger_.save()},
                   {"sums", sums_}};
  disk_[file] = saved.dump();
  return costs_.save;
}

std::string FakeWorld::load(const std::filesystem::path& file) {
  EXPECT_FALSE(is_set_up_) << "a checkpoint is loaded before the first transition";
  calls_.push_back("load");
  const json saved = json::parse(disk_.at(file));
  saved.at("steps").get_to(steps_done_);
  saved.at("weights").get_to(weights_);
  ledger_.load(saved.at("ledger").get<std::string>());
  saved.at("sums").get_to(sums_);
  return saved.at("loop").get<std::string>();
}

void Recorder::step_done(const StepRecord& step, const pipeline::Budget& budget) {
  EXPECT_EQ(step.number, budget.used_steps);
  last_ = step.number;
  steps.push_back(step);
  told_time += step.time;
  story.push_back(fmt::format("step {} {} {} {} {} {}", step.number, step.time.count(),
                              step.wall.count(), step.learning_rate, step.budget_share,
                              step.loss.value()));
}

void Recorder::validated(const ValidationRecord& record) {
  validations.push_back(record);
  told_time += record.validation.cost;
  story.push_back(fmt::format("validation {} {} {} {}", record.step, record.budget_share,
                              record.validation.score.value(), record.validation.cost.count()));
}

void Recorder::decided(const DecisionRecord& record) {
  decisions.push_back(record);
  told_time += record.transition;
  story.push_back(fmt::format("decision {} {} {} {} {} {} {} \"{}\"", record.step,
                              record.judging_step, record.before.text(),
                              record.decision.mask.text(), record.frost_line, record.frozen_share,
                              record.transition.count(), record.decision.remark));
  for (const Verdict& verdict : record.decision.verdicts) {
    const pipeline::UnitStatistics& unit = verdict.statistics;
    story.push_back(fmt::format("  {} {} {} {} {} {} {} {} {}", unit.unit.value, unit.mean_gradient,
                                unit.small_changes, unit.change, unit.finite, verdict.reference,
                                verdict.change_is_small, verdict.gradient_is_small,
                                verdict.in_a_row));
  }
}

void Recorder::checkpointed(std::int64_t step, Duration cost) {
  checkpoints.push_back(step);
  told_time += cost;
}

void Recorder::message(const std::string& text) {
  messages.push_back(text);
  story.push_back(text);
}

Planner one_stage_planner(int layers) {
  return [layers](const pipeline::FreezeMask& mask) {
    return Plan{.partition = pipeline::Partition::even(layers, 1),
                .freeze = pipeline::FreezePlan(mask)};
  };
}

pipeline::FreezeMask ScriptedPolicy::initial_mask() const {
  return pipeline::FreezeMask::from_text(masks_.front());
}

pipeline::StatisticsOrder ScriptedPolicy::needs(const Situation& situation) const {
  asked.push_back(situation);
  return {};
}

Decision ScriptedPolicy::decide(const Situation& situation,
                                std::span<const pipeline::UnitStatistics>) {
  decided.push_back(situation);
  const auto step = static_cast<std::size_t>(situation.judging_steps);
  const std::string& mask = masks_[std::min(step, masks_.size() - 1)];
  return {pipeline::FreezeMask::from_text(mask), {}, ""};
}

}  // namespace frostline::policy
