#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>

#include "pipeline/world.h"
#include "policy/policy.h"

namespace frostline::policy {

/// Makes the plan for a mask: schedule and partition as the scenario has them.
using Planner = std::function<pipeline::Plan(const pipeline::FreezeMask& mask)>;

struct LoopSettings {
  pipeline::Budget budget;  ///< its limits; what is used up is the loop's to count
  pipeline::LearningRateRule learning_rate;
  std::int64_t judging_step = 20;
  std::int64_t validate_every = 0;    ///< steps; 0: at the start and the end alone
  double validate_share = 0.05;       ///< of the budget, at most
  std::int64_t checkpoint_every = 0;  ///< steps; 0: at the end alone
  std::filesystem::path checkpoint;   ///< "": none is written
  /// The predicted clock: a step's and a validation's cost on it; transitions and checkpoints take
  /// no time on it. Empty: what the world says it took.
  std::function<base::Duration(const pipeline::Plan&)> predicted_step;
  base::Duration predicted_validation{};
};

// All costs in these records are on the run's clock: they add up to the budget's used time.

struct ValidationRecord {
  std::int64_t step = 0;  ///< after so many steps
  double budget_share = 0;
  pipeline::Validation validation;
};

struct DecisionRecord {
  std::int64_t step = 0;  ///< after so many steps; the mask holds from the next one on
  std::int64_t judging_step = 0;
  pipeline::FreezeMask before;
  Decision decision;
  int frost_line = 0;
  double frozen_share = 0;
  base::Duration transition{};  ///< what going to the new plan cost; 0 without a change
};

/// Told what happens, as it happens, on the loop's thread.
class LoopObserver {
 public:
  virtual ~LoopObserver() = default;
  virtual void step_done(const pipeline::StepRecord& step, const pipeline::Budget& budget) = 0;
  virtual void validated(const ValidationRecord& record) = 0;
  virtual void decided(const DecisionRecord& record) = 0;
  virtual void checkpointed(std::int64_t step, base::Duration cost) = 0;
  virtual void message(const std::string& text) = 0;
  /// Asked after every step; true ends the run after a checkpoint.
  virtual bool stop_requested() = 0;
};

enum class Ending { kBudgetUsed, kInterrupted, kEverythingFrozen };

struct Outcome {
  Ending ending = Ending::kBudgetUsed;
  pipeline::Budget budget;
  pipeline::FreezeMask mask;
  std::int64_t judging_steps = 0;
  std::int64_t freezes = 0;  ///< units that were frozen by decisions
  base::Duration validation_time{};
  std::optional<double> score;  ///< of the last validation
};

/// Steps, judge, decide, transition, validate, checkpoint: the one loop that steers every world.
///
/// Everything that takes time on the run's clock is charged to the budget: steps, transitions,
/// validations, checkpoints. A last validation is set aside at the start. A run that is interrupted
/// and resumed takes the same steps as one that is not, given the same clock: what the interruption
/// costs, its checkpoint and setting up again, is not charged.
///
/// A decision, a validation and a checkpoint that fall on the same step follow in this order, and
/// an interruption comes after them: a checkpoint always stands between two steps with nothing
/// pending.
class TrainingLoop {
 public:
  TrainingLoop(pipeline::World& world, Policy& policy, const pipeline::UnitTable& units,
               Planner planner, LoopSettings settings, LoopObserver& observer);

  /// Goes on from a checkpoint. Throws base::Error if it is of another model or broken.
  std::int64_t resume(const std::filesystem::path& checkpoint);
  /// Throws base::Error for a time budget that leaves no time for a step, or that no step uses up.
  Outcome run();

 private:
  struct State {
    pipeline::Budget budget;
    Situation situation;
    std::int64_t steps_into_judging_step = 0;
    std::int64_t last_validation_step = 0;
    std::int64_t freezes = 0;
    base::Duration validation_time{};
    base::Duration reserve{};              ///< set aside for the last validation
    pipeline::StatisticsOrder statistics;  ///< of the judging step that is under way
    bool said_validations_are_skipped = false;
    bool started = false;
  };
  void start();
  void check_time_is_left() const;
  void go_on();
  void run_to_next_stop();
  pipeline::Order next_order();
  std::int64_t steps_to_next_stop() const;
  void step_done(const pipeline::StepRecord& step);
  void check_progress(const pipeline::Order& order, const pipeline::Report& report);
  void judge(const pipeline::Report& report);
  base::Duration apply(const pipeline::FreezeMask& mask);
  base::Duration go_to_plan();
  void validate_if_due();
  bool validation_is_affordable();
  void validate();
  void checkpoint();
  Ending finish();

  bool is_due(std::int64_t every) const;
  bool everything_is_frozen() const;
  bool is_over() const;
  bool is_predicted() const { return settings_.predicted_step != nullptr; }
  /// The budget less what is set aside: what learning rates and policies go by.
  pipeline::Budget budget_for_steps() const;
  const Situation& situation();
  void charge(base::Duration cost);
  Ending ending() const;
  Outcome outcome(Ending how) const;

  std::string save_state() const;
  void load_state(const std::string& text);

  pipeline::World& world_;
  Policy& policy_;
  const pipeline::UnitTable& units_;
  Planner planner_;
  LoopSettings settings_;
  LoopObserver& observer_;
  pipeline::Plan plan_;
  std::optional<base::Duration> step_time_;  // of the plan, on the predicted clock
  State state_;
  bool stop_requested_ = false;
  bool unsaved_ = false;  // something has changed since the last checkpoint
};

}  // namespace frostline::policy
