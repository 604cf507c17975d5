#include "exec/training_step.h"

#include <fmt/format.h>

#include <cmath>
#include <numeric>

#include "base/error.h"

namespace frostline::exec {
namespace {

constexpr double kNormFloor = 1e-6;  // as in PyTorch's clip_grad_norm_

}  // namespace

TrainingStep::TrainingStep(Team& team, int layers, double clip_norm)
    : team_(team), clip_norm_(clip_norm) {
  readings_.norm = clip_norm > 0;
  readings_.squares.resize(static_cast<std::size_t>(layers));
}

void TrainingStep::observe(const std::vector<pipeline::UnitId>& units, bool running_sums) {
  readings_.units = units;
  readings_.samples.assign(units.size(), {});
  readings_.running_sums = running_sums;
}

StepResult TrainingStep::run(std::int64_t step, const pipeline::Schedule& schedule,
                             double learning_rate) {
  team_.run([&](pipeline::Rank rank, Worker& worker) {
    worker.accumulate(step, schedule.actions.at(rank.index()), readings_);
  });
  StepResult result{loss(schedule), std::nullopt};
  if (readings_.norm) result.gradient_norm = gradient_norm(step);
  const double factor = scale(result.gradient_norm.value_or(0));
  team_.run([&](pipeline::Rank, Worker& worker) { worker.update(factor, learning_rate); });
  return result;
}

/// From the rank that owns the last stage, whichever it is.
std::optional<double> TrainingStep::loss(const pipeline::Schedule& schedule) {
  return team_.worker(schedule.rank_of(schedule.last_stage())).stage().loss();
}

/// Summed layer by layer in the order of the model, so that its bits do not depend on the number of
/// ranks.
double TrainingStep::gradient_norm(std::int64_t step) const {
  const auto& squares = readings_.squares;
  const double norm = std::sqrt(std::accumulate(squares.begin(), squares.end(), 0.0));
  if (std::isfinite(norm)) return norm;
  throw base::Error(fmt::format(
      "step {}: the norm of the gradients is {}; lower train.learning_rate", step + 1, norm));
}

double TrainingStep::scale(double norm) const {
  return norm > clip_norm_ && clip_norm_ > 0 ? clip_norm_ / (norm + kNormFloor) : 1.0;
}

}  // namespace frostline::exec
