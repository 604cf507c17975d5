// What a step costs beside forward and backward: reading gradients, and the optimizer; alone, and
// in whole steps of a forecaster of the same size.

#include <ATen/Parallel.h>
#include <ATen/ops/full.h>
#include <benchmark/benchmark.h>
#include <unistd.h>

#include <cmath>
#include <filesystem>
#include <fstream>

#include "exec/optimizer.h"
#include "exec/rank_gradients.h"
#include "exec/torch_world.h"
#include "models/torch/forecast_task.h"
#include "pipeline/schedules/registry.h"

namespace frostline::exec {
namespace {

constexpr int kTensors = 101;
constexpr std::int64_t kElements = 65536;  // a tensor; 6.6 million in all

Parameters parameters() {
  at::set_num_threads(1);
  Parameters all;
  for (int i = 0; i < kTensors; ++i) {
    at::Tensor tensor = at::full({kElements}, 0.5, at::kFloat);
    tensor.set_requires_grad(true);
    tensor.mutable_grad() = at::full({kElements}, 1e-3, at::kFloat);
    all.push_back({"p" + std::to_string(i), tensor, {i}, {i}});
  }
  return all;
}

/// Mean absolute value and sum of squares of every tensor: statistics and clip norm in one pass.
void read_gradients(benchmark::State& state) {
  const Parameters all = parameters();
  RankGradients gradients(all);
  for (auto _ : state) gradients.read();
  state.SetItemsProcessed(state.iterations() * kTensors * kElements);
}
BENCHMARK(read_gradients)->Unit(benchmark::kMillisecond);

void optimizer_step(benchmark::State& state, const char* name) {
  const Parameters all = parameters();
  policy::TrainSettings settings;
  settings.optimizer = name;
  const auto optimizer = make_optimizer(settings, all);
  for (auto _ : state) optimizer->step(1e-5);
  state.SetItemsProcessed(state.iterations() * kTensors * kElements);
}
BENCHMARK_CAPTURE(optimizer_step, sgd, "sgd")->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(optimizer_step, adam, "adam")->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(optimizer_step, adamw, "adamw")->Unit(benchmark::kMillisecond);

constexpr int kBatch = 32;

/// A forecaster of 101 tensors and 6.6 million parameters on a made-up load.
std::unique_ptr<models::LearningTask> forecast_task() {
  const auto file = std::filesystem::temp_directory_path() /
                    ("frostline-exec-bench-" + std::to_string(::getpid()) + ".csv");
  std::ofstream csv(file);
  csv << "1\n";
  for (int hour = 0; hour < 24 * 7 * 20; ++hour) csv << 1000 + 200 * std::sin(hour * 0.26) << '\n';
  csv.close();
  models::ModelSettings model;
  model.kind = "forecaster";
  model.width = 256;
  models::DataSettings data;
  data.file = file;
  data.series = {"1"};
  auto task = models::make_forecast_task(model, data, 1, kBatch);
  std::filesystem::remove(file);
  return task;
}

/// A step on two ranks, 1F1B, four micro-batches; with and without clip norm and statistics of all
/// units.
void training_step(benchmark::State& state, double clip_norm, bool observed) {
  const auto task = forecast_task();
  const auto units = models::unit_table(task->model(), models::UnitKind::kLayer);
  policy::TrainSettings settings;
  settings.clip_norm = clip_norm;
  TorchWorld world(*task, units, settings, 2, 1);
  const pipeline::Plan plan{
      pipeline::make_schedule("1f1b", {2, 1, 4}), pipeline::Partition::even(units.layers(), 2),
      pipeline::FreezePlan(pipeline::FreezeMask(units.size())), pipeline::Cut::kPrefix};
  world.transition(plan);
  pipeline::Order order{.steps = 1, .learning_rate = {1e-4}};
  order.budget.steps = 1 << 30;
  if (observed) {
    for (const auto unit : base::ids<pipeline::UnitId>(units.size())) {
      order.statistics.units.push_back(unit);
    }
  }
  for (auto _ : state) world.run_steps(plan, order);
  state.counters["tensors"] = 0;
  state.counters["parameters"] = static_cast<double>(units.elements());
  for (const auto& unit : units.units) {
    state.counters["tensors"] += static_cast<double>(unit.tensors.size());
  }
}
BENCHMARK_CAPTURE(training_step, plain, 0.0, false)->Unit(benchmark::kMillisecond)->UseRealTime();
BENCHMARK_CAPTURE(training_step, clipped, 1.0, false)->Unit(benchmark::kMillisecond)->UseRealTime();
BENCHMARK_CAPTURE(training_step, clipped_and_observed, 1.0, true)
    ->Unit(benchmark::kMillisecond)
    ->UseRealTime();

}  // namespace
}  // namespace frostline::exec

BENCHMARK_MAIN();
