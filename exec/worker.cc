#include "exec/worker.h"

#include <ATen/core/grad_mode.h>

#include "pipeline/runner.h"

namespace frostline::exec {

Worker::Worker(const models::LearningTask& task, const pipeline::UnitTable& units,
               const policy::TrainSettings& settings, const pipeline::Plan& plan,
               pipeline::Rank rank, HandOver& hand_over, std::uint64_t seed)
    : stage_(task, units, plan, rank, hand_over, seed),
      gradients_(stage_.parameters()),
      optimizer_(make_optimizer(settings, stage_.parameters())) {}

void Worker::accumulate(std::int64_t step, std::span<const pipeline::Action> actions,
                        StepReadings& readings) {
  gradients_.drop();
  stage_.begin_step(step);
  walk(actions);
  read(readings);
}

void Worker::read(StepReadings& readings) {
  if (!readings.norm && readings.units.empty()) return;
  gradients_.read();
  if (readings.norm) gradients_.write_squares(readings.squares);
  gradients_.write_samples(readings.units, readings.samples);
  if (readings.running_sums) gradients_.add_to_running_sums(readings.units);
}

void Worker::update(double scale, double learning_rate) {
  if (scale != 1.0) gradients_.scale(scale);
  optimizer_->step(learning_rate);
}

void Worker::evaluate(pipeline::Split split, std::span<const pipeline::Action> actions) {
  stage_.begin_evaluation(split);
  walk(actions);
}

void Worker::walk(std::span<const pipeline::Action> actions) {
  const pipeline::Task task = pipeline::run_schedule(stage_, actions);
  task.rethrow();
}

base::Bytes Worker::memory() const {
  base::Bytes bytes{gradients_.bytes() + optimizer_->state().bytes()};
  visit_weights([&](const std::string&, const at::Tensor& tensor) {
    bytes += {static_cast<std::int64_t>(tensor.nbytes())};
  });
  return bytes;
}

}  // namespace frostline::exec
