#pragma once

#include <optional>

#include "exec/team.h"
#include "pipeline/schedule.h"

namespace frostline::exec {

struct StepResult {
  std::optional<double> loss;           ///< mean over the micro-batches
  std::optional<double> gradient_norm;  ///< before clipping; absent without
};

/// One optimizer step of all ranks, in two commands: up to the gradients, and the update.
class TrainingStep {
 public:
  /// `clip_norm` 0 does not clip.
  TrainingStep(Team& team, int layers, double clip_norm);

  /// What the following steps read of the gradients.
  void observe(const std::vector<pipeline::UnitId>& units, bool running_sums);
  /// Steps count from 0. Throws base::Error if a rank fails, or loss or gradient norm is not
  /// finite.
  StepResult run(std::int64_t step, const pipeline::Schedule& schedule, double learning_rate);
  /// Of the last step: one a unit observed.
  const std::vector<policy::GradientSample>& samples() const { return readings_.samples; }

 private:
  std::optional<double> loss(const pipeline::Schedule& schedule);
  double gradient_norm(std::int64_t step) const;
  double scale(double norm) const;

  Team& team_;
  double clip_norm_;
  StepReadings readings_;
};

}  // namespace frostline::exec
