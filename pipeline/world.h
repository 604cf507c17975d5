#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/bytes.h"
#include "base/time.h"
#include "pipeline/budget.h"
#include "pipeline/plan.h"

namespace frostline::pipeline {

/// How the change of a gradient is read; docs/freeze_rule.md defines all three.
enum class Change { kRelative, kCommon, kDrift };

/// Which statistics of which units a policy needs; a world computes no others.
struct StatisticsOrder {
  std::vector<UnitId> units;  ///< observed at every step; empty: none
  Change change = Change::kCommon;
  double theta1 = 0.0;  ///< a change below this is small

  friend bool operator==(const StatisticsOrder&, const StatisticsOrder&) = default;
};

/// One unit over one judging step of S optimizer steps.
struct UnitStatistics {
  UnitId unit;
  double mean_gradient = 0.0;  ///< A_k: mean over the steps of the mean absolute gradient
  double small_changes = 0.0;  ///< rho_k: share of the steps whose change was below theta1, 0..1
  double change = 0.0;         ///< mean change over the steps; for drift its one value
  bool finite = true;  ///< false if a gradient was NaN or infinite: such a unit is never frozen
};

/// One optimizer step as it happened.
struct StepRecord {
  std::int64_t number = 0;  ///< from 1, over the whole run
  base::Duration time{};    ///< on the run's clock
  base::Duration wall{};    ///< as measured; virtual in a simulated world
  double learning_rate = 0.0;
  double budget_share = 0.0;   ///< used up before the step
  std::optional<double> loss;  ///< mean over the micro-batches; absent where nothing is learned
  std::optional<double> gradient_norm;  ///< before clipping, if the scenario clips
};

/// How many steps to run, and what to do and observe on the way.
struct Order {
  int steps = 0;  ///< at most; fewer if the budget is used up first
  LearningRateRule learning_rate;
  Budget budget;  ///< as it stands before the first step
  /// What each step costs on the run's clock, if that is predicted; otherwise the time it took.
  std::optional<base::Duration> step_time;
  StatisticsOrder statistics;
  /// The first step begins a judging step (statistics start afresh); the last one ends it (they are
  /// reported). An order may be a part of a judging step, cut by a checkpoint or an interruption.
  bool begins_judging_step = true;
  bool ends_judging_step = true;
  /// Called after each step, on the caller's thread; false ends the order after that step.
  std::function<bool(const StepRecord&)> after_step;
};

struct Report {
  std::vector<StepRecord> steps;
  /// One a unit ordered, if all steps were run and end a judging step.
  std::vector<UnitStatistics> statistics;
  std::vector<base::Bytes> memory;  ///< weights, gradients and optimizer state of each rank
};

/// How good the model is. A score is better when higher; error measures enter negated.
struct Validation {
  std::optional<double> score;  ///< absent where nothing is learned
  base::Duration cost{};
};

/// The name under which a score is shown, with its own sign: "MAPE", "%".
struct Measure {
  std::string name;
  std::string unit;
  bool lower_is_better = false;

  double shown(double score) const { return lower_is_better ? -score : score; }
};

enum class Split { kValidation, kTest };

/// What the training loop steers: a pipeline that trains, simulated or real. Every call blocks
/// until all ranks are done, and throws base::Error if the world can no longer go on.
class World {
 public:
  virtual ~World() = default;

  /// Runs steps as ordered. `plan` is the one of the last transition (asserted): a plan changes
  /// there only.
  virtual Report run_steps(const Plan& plan, const Order& order) = 0;
  /// Applies a plan at a step boundary; the first call sets the world up. Returns what it cost.
  virtual base::Duration transition(const Plan& plan) = 0;
  virtual Validation validate(Split split) = 0;
  virtual Measure measure() const = 0;

  /// Writes everything needed to go on, the loop's own state included, into one file that appears
  /// whole or not at all. Returns what it cost.
  virtual base::Duration save(const std::filesystem::path& file, const std::string& loop_state) = 0;
  /// Restores what `save` wrote and returns the loop's state. Throws base::Error for a file of
  /// another model. To be called before the first transition.
  virtual std::string load(const std::filesystem::path& file) = 0;
};

}  // namespace frostline::pipeline
