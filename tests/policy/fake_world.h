#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "pipeline/world.h"
#include "policy/ledger.h"
#include "policy/training_loop.h"

namespace frostline::policy {

/// What the fake world's actions cost.
struct FakeCosts {
  base::Duration step = std::chrono::milliseconds(4);
  base::Duration unfrozen_unit = std::chrono::milliseconds(2);  ///< of a step
  base::Duration transition = std::chrono::milliseconds(7);
  base::Duration validation = std::chrono::milliseconds(3);
  base::Duration save = std::chrono::milliseconds(5);
};

/// What the fake worlds have saved, by name.
using FakeDisk = std::map<std::filesystem::path, std::string>;

/// A world in closed form: each unit has one weight, which shrinks at every step that trains it,
/// and a gradient of two elements in proportion to the weight, whose direction turns with the step.
/// Unit u's weight shrinks faster the lower u is. Writes down what it is told to do.
class FakeWorld : public pipeline::World {
 public:
  FakeWorld(const pipeline::UnitTable& units, FakeDisk& disk);

  pipeline::Report run_steps(const pipeline::Plan& plan, const pipeline::Order& order) override;
  base::Duration transition(const pipeline::Plan& plan) override;
  pipeline::Validation validate(pipeline::Split split) override;
  pipeline::Measure measure() const override { return {.name = "fake"}; }
  base::Duration save(const std::filesystem::path& file, const std::string& loop_state) override;
  std::string load(const std::filesystem::path& file) override;

  /// "transition 1100", "steps 5", "validate", "save", "load".
  const std::vector<std::string>& calls() const { return calls_; }
  const std::vector<pipeline::Order>& orders() const { return orders_; }
  /// From now on orders end before their first step, as after a signal.
  void refuse_steps() { refuses_steps_ = true; }

 private:
  void begin(const pipeline::StatisticsOrder& order);
  void observe();
  pipeline::StepRecord step(const pipeline::Order& order, const pipeline::Budget& budget);
  std::vector<pipeline::UnitStatistics> finish() const;
  const pipeline::FreezeMask& mask() const;
  base::Duration step_cost() const;
  double size(pipeline::UnitId unit) const;

  FakeDisk& disk_;
  FakeCosts costs_;
  pipeline::Plan plan_;
  bool is_set_up_ = false;
  bool refuses_steps_ = false;
  std::vector<std::string> calls_;
  std::vector<pipeline::Order> orders_;
  // What a checkpoint holds:
  std::int64_t steps_done_ = 0;
  std::vector<double> weights_;
  mutable Ledger ledger_;
  std::vector<double> sums_;  // of the gradients of this judging step, two elements a unit ordered
};

/// Writes down what it is told, and asks to stop after a given step.
class Recorder : public LoopObserver {
 public:
  explicit Recorder(std::int64_t stop_after = 0) : stop_after_(stop_after) {}

  void step_done(const pipeline::StepRecord& step, const pipeline::Budget& budget) override;
  void validated(const ValidationRecord& record) override;
  void decided(const DecisionRecord& record) override;
  void checkpointed(std::int64_t step, base::Duration cost) override;
  void message(const std::string& text) override;
  bool stop_requested() override { return stopping || (stop_after_ > 0 && last_ >= stop_after_); }

  std::vector<pipeline::StepRecord> steps;
  std::vector<std::int64_t> checkpoints;  ///< after so many steps
  std::vector<std::string> messages;
  std::vector<ValidationRecord> validations;
  std::vector<DecisionRecord> decisions;
  /// Every figure of all steps, decisions, validations and messages, checkpoints left out, in
  /// order.
  std::vector<std::string> story;
  base::Duration told_time{};  ///< of all records together
  bool stopping = false;

 private:
  std::int64_t stop_after_;
  std::int64_t last_ = 0;
};

/// One stage that holds all layers, one micro-batch.
Planner one_stage_planner(int layers);

/// Decides as told, in judging step 1, 2, ...; then nothing changes any more. Reads no gradients.
class ScriptedPolicy : public Policy {
 public:
  explicit ScriptedPolicy(std::vector<std::string> masks) : masks_(std::move(masks)) {}

  pipeline::FreezeMask initial_mask() const override;
  pipeline::StatisticsOrder needs(const Situation& situation) const override;
  Decision decide(const Situation& situation,
                  std::span<const pipeline::UnitStatistics> statistics) override;
  bool fixed_from_the_start() const override { return fixed; }

  bool fixed = false;
  mutable std::vector<Situation> asked;
  std::vector<Situation> decided;

 private:
  std::vector<std::string> masks_;  // the initial one first
};

}  // namespace frostline::policy
