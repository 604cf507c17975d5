#include <benchmark/benchmark.h>

#include "cost/plan_times.h"
#include "pipeline/lower.h"
#include "pipeline/schedule_graph.h"
#include "pipeline/schedules/registry.h"
#include "pipeline/step_path.h"
#include "sim/path_world.h"
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

void bm_step_path(benchmark::State& state) {
  const Scene scene(static_cast<int>(state.range(0)));
  pipeline::StepPath path(scene.plan, scene.units, scene.times);
  std::int64_t nodes = 0;
  for (auto _ : state) nodes = path.evaluate().computations();
  count(state, "nodes", static_cast<std::size_t>(nodes));
}

/// From a plan that is new to its predicted time.
void bm_predict_step(benchmark::State& state) {
  const Scene scene(static_cast<int>(state.range(0)));
  const auto costs = Scene::costs(scene.units.layers());
  for (auto _ : state) {
    benchmark::DoNotOptimize(cost::predict_step(costs, scene.units, scene.plan));
  }
}

/// A transition to a plan that was met before, and one step of it.
void bm_memoised_step(benchmark::State& state) {
  const int ranks = static_cast<int>(state.range(0));
  const Scene scene(ranks);
  Plan plans[2] = {scene.plan, scene.plan};
  plans[1].freeze = FreezePlan(freeze_leading_layers(scene.units, 1));
  PathWorld world(Scene::costs(scene.units.layers()), scene.units);
  for (const Plan& plan : plans) world.transition(plan);
  std::size_t turn = 0;
  for (auto _ : state) {
    world.transition(plans[turn ^= 1]);
    benchmark::DoNotOptimize(world.step().time());
  }
}

/// The size that the walk and the events are to bear: 2^24 computations and their transfers.
Plan large_plan() {
  constexpr int kRanks = 1024;
  return {pipeline::make_schedule("1f1b", {kRanks, 1, 8192}), Partition::even(kRanks, kRanks),
          FreezePlan(pipeline::FreezeMask(kRanks))};
}

struct LargeScene {
  UnitTable units = UnitTable::of_layers(1024);
  Plan plan = large_plan();
  cost::PlanTimes times{Scene::costs(1024), units, plan};
};

void bm_large_step_path(benchmark::State& state) {
  const LargeScene scene;
  std::int64_t nodes = 0;
  for (auto _ : state) {
    nodes = pipeline::StepPath(scene.plan, scene.units, scene.times).evaluate().computations();
  }
  count(state, "nodes", static_cast<std::size_t>(nodes));
}

void bm_large_discrete_events(benchmark::State& state) {
  const LargeScene scene;
  const Schedule schedule = pipeline::lower(scene.plan.schedule);
  std::uint64_t events = 0;
  for (auto _ : state) {
    SimulatedPipeline pipeline(schedule, scene.times, {});
    pipeline.run();
    events = pipeline.loop().events();
  }
  count(state, "events", events);
}

/// Eight ranks, 16 to 160 000 micro-batches: the time of an action stays.
void bm_linear_path(benchmark::State& state) {
  const int micro_batches = static_cast<int>(state.range(0));
  const Plan plan{pipeline::make_schedule("1f1b", {8, 1, micro_batches}), Partition::even(8, 8),
                  FreezePlan(pipeline::FreezeMask(8))};
  const UnitTable units = UnitTable::of_layers(8);
  const cost::PlanTimes times(Scene::costs(8), units, plan);
  pipeline::StepPath path(plan, units, times);
  for (auto _ : state) benchmark::DoNotOptimize(path.evaluate());
  count(state, "actions", static_cast<std::size_t>(16) * static_cast<std::size_t>(micro_batches));
}

void bm_linear_events(benchmark::State& state) {
  const int micro_batches = static_cast<int>(state.range(0));
  const Plan plan{pipeline::make_schedule("1f1b", {8, 1, micro_batches}), Partition::even(8, 8),
                  FreezePlan(pipeline::FreezeMask(8))};
  const UnitTable units = UnitTable::of_layers(8);
  const cost::PlanTimes times(Scene::costs(8), units, plan);
  const Schedule schedule = pipeline::lower(plan.schedule);
  for (auto _ : state) {
    SimulatedPipeline pipeline(schedule, times, {});
    pipeline.run();
  }
  count(state, "actions", static_cast<std::size_t>(16) * static_cast<std::size_t>(micro_batches));
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
BENCHMARK(bm_step_path)->ArgName("ranks")->Arg(8)->Arg(64)->Unit(benchmark::kMillisecond);
BENCHMARK(bm_predict_step)->ArgName("ranks")->Arg(8)->Arg(64)->Unit(benchmark::kMillisecond);
BENCHMARK(bm_memoised_step)->ArgName("ranks")->Arg(8)->Arg(64);
BENCHMARK(bm_large_step_path)->Iterations(1)->Unit(benchmark::kMillisecond);
BENCHMARK(bm_large_discrete_events)->Iterations(1)->Unit(benchmark::kMillisecond);
BENCHMARK(bm_linear_path)->ArgName("micro_batches")->RangeMultiplier(10)->Range(16, 160000);
BENCHMARK(bm_linear_events)->ArgName("micro_batches")->RangeMultiplier(10)->Range(16, 160000);
BENCHMARK(bm_schedule_graph)->ArgName("ranks")->Arg(8)->Arg(64)->Unit(benchmark::kMillisecond);
BENCHMARK(bm_rewrite)->ArgName("ranks")->Arg(8)->Arg(64)->Unit(benchmark::kMillisecond);
BENCHMARK(bm_executable_schedule)->ArgName("ranks")->Arg(8)->Arg(64)->Unit(benchmark::kMillisecond);
BENCHMARK(bm_plan_times)->ArgName("ranks")->Arg(8)->Arg(64)->Unit(benchmark::kMicrosecond);

}  // namespace
}  // namespace frostline::sim

BENCHMARK_MAIN();
