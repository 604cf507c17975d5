#include <benchmark/benchmark.h>

#include "cost/plan_times.h"
#include "pipeline/schedule_graph.h"
#include "pipeline/schedules/registry.h"
#include "sim/simulated_pipeline.h"
#include "sim/step_simulation.h"

namespace frostline::sim {
namespace {

using benchmark::Counter;
using pipeline::FreezePlan;
using pipeline::Partition;
using pipeline::Plan;
using pipeline::Schedule;
using pipeline::UnitTable;

constexpr int kMicroBatches = 256;
constexpr int kLayersPerRank = 4;

/// 1F1B with the first quarter of the layers frozen.
struct Scene {
  explicit Scene(int ranks)
      : units(UnitTable::of_layers(ranks * kLayersPerRank)),
        plan{pipeline::make_schedule("1f1b", {ranks, 1, kMicroBatches}),
             Partition::even(units.layers(), ranks),
             FreezePlan(freeze_leading_layers(units, units.layers() / 4))},
        times(costs(units.layers()), units, plan),
        schedule(executable_schedule(plan, units)) {}

  static cost::ModelCost costs(int layers) {
    cost::ModelCost cost;
    for (int i = 0; i < layers; ++i) {
      cost.layers.push_back({1000.0 + i, 1000, 1100, 900, 1100, 0, {1 << 20}, {1 << 19}});
    }
    cost.send_ns = 300;
    return cost;
  }

  UnitTable units;
  Plan plan;
  cost::PlanTimes times;
  Schedule schedule;
};

void count(benchmark::State& state, const char* name, std::size_t things) {
  const auto amount = static_cast<double>(things);
  state.counters[name] = Counter(amount, Counter::kIsIterationInvariantRate);
  state.counters[std::string("time/") + name] =
      Counter(amount, Counter::kIsIterationInvariantRate | Counter::kInvert);
}

void bm_discrete_events(benchmark::State& state) {
  const Scene scene(static_cast<int>(state.range(0)));
  std::uint64_t events = 0;
  for (auto _ : state) {
    SimulatedPipeline pipeline(scene.schedule, scene.times, {});
    pipeline.run();
    events = pipeline.loop().events();
  }
  count(state, "events", events);
}

void bm_longest_path(benchmark::State& state) {
  const Scene scene(static_cast<int>(state.range(0)));
  const auto graph = pipeline::schedule_graph(scene.schedule, scene.times);
  for (auto _ : state) benchmark::DoNotOptimize(pipeline::longest_path(graph));
  count(state, "nodes", boost::num_vertices(graph));
}

void bm_schedule_graph(benchmark::State& state) {
  const Scene scene(static_cast<int>(state.range(0)));
  std::size_t nodes = 0;
  for (auto _ : state) {
    nodes = boost::num_vertices(pipeline::schedule_graph(scene.schedule, scene.times));
  }
  count(state, "nodes", nodes);
}

void bm_rewrite(benchmark::State& state) {
  const Scene scene(static_cast<int>(state.range(0)));
  for (auto _ : state) benchmark::DoNotOptimize(pipeline::rewrite(scene.plan, scene.units));
  count(state, "computations",
        static_cast<std::size_t>(state.range(0)) * std::size_t{kMicroBatches} * 2);
}

/// From a plan to a schedule that was checked: what every transition pays.
void bm_executable_schedule(benchmark::State& state) {
  const Scene scene(static_cast<int>(state.range(0)));
  for (auto _ : state) {
    benchmark::DoNotOptimize(pipeline::executable_schedule(scene.plan, scene.units));
  }
  count(state, "computations",
        static_cast<std::size_t>(state.range(0)) * std::size_t{kMicroBatches} * 2);
}

void bm_plan_times(benchmark::State& state) {
  const Scene scene(static_cast<int>(state.range(0)));
  const auto costs = Scene::costs(scene.units.layers());
  for (auto _ : state) {
    benchmark::DoNotOptimize(cost::PlanTimes(costs, scene.units, scene.plan).step_end());
  }
}

BENCHMARK(bm_discrete_events)->ArgName("ranks")->Arg(8)->Arg(64)->Unit(benchmark::kMillisecond);
BENCHMARK(bm_longest_path)->ArgName("ranks")->Arg(8)->Arg(64)->Unit(benchmark::kMillisecond);
BENCHMARK(bm_schedule_graph)->ArgName("ranks")->Arg(8)->Arg(64)->Unit(benchmark::kMillisecond);
BENCHMARK(bm_rewrite)->ArgName("ranks")->Arg(8)->Arg(64)->Unit(benchmark::kMillisecond);
BENCHMARK(bm_executable_schedule)->ArgName("ranks")->Arg(8)->Arg(64)->Unit(benchmark::kMillisecond);
BENCHMARK(bm_plan_times)->ArgName("ranks")->Arg(8)->Arg(64)->Unit(benchmark::kMicrosecond);

}  // namespace
}  // namespace frostline::sim

BENCHMARK_MAIN();
