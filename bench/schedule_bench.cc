#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <array>

#include "pipeline/schedules/registry.h"

namespace frostline::pipeline {
namespace {

using base::Duration;

/// Qi et al. 2023, arXiv 2401.10241, table 9: times in nanoseconds; activations of a layer per unit
/// of sequence x batch.
struct Published {
  const char* model;
  int ranks;
  int micro_batches;
  StageFigures stage;
  Duration send;
};

StageFigures stage(int forward, int input_gradient, int weight_gradient, int hidden, int heads) {
  return {Duration(forward),
          Duration(input_gradient),
          Duration(weight_gradient),
          {34 * hidden + 5 * heads * 1024},
          {32 * hidden}};
}

const std::array kPublished{
    Published{"1.5B", 8, 24, stage(18522000, 18086000, 9337000, 2304, 24), Duration(601000)},
    Published{"1.5B", 8, 64, stage(18546000, 18097000, 9321000, 2304, 24), Duration(762000)},
    Published{"6.2B", 8, 24, stage(29718000, 29444000, 19927000, 4096, 32), Duration(527000)},
    Published{"6.2B", 8, 32, stage(29802000, 29428000, 19530000, 4096, 32), Duration(577000)},
    Published{"6.2B", 8, 64, stage(29935000, 29621000, 19388000, 4096, 32), Duration(535000)},
    Published{"14.6B", 16, 48, stage(11347000, 11248000, 8132000, 5120, 40), Duration(377000)},
    Published{"14.6B", 16, 128, stage(11325000, 11308000, 8109000, 5120, 40), Duration(378000)},
    Published{"28.3B", 32, 96, stage(10419000, 10207000, 7715000, 6144, 48), Duration(408000)},
    Published{"28.3B", 32, 256, stage(10402000, 10248000, 7698000, 6144, 48), Duration(460000)}};

ScheduleRequest request_of(const Published& published) {
  ScheduleRequest request(published.ranks, 1, published.micro_batches);
  request.stages.assign(static_cast<std::size_t>(published.ranks), published.stage);
  request.send = published.send;
  return request;
}

void make(benchmark::State& state, const char* schedule, const Published& published) {
  const ScheduleRequest request = request_of(published);
  for (auto _ : state) benchmark::DoNotOptimize(make_schedule(schedule, request));
}

void register_all() {
  for (const Published& published : kPublished) {
    for (const char* schedule : {"zb_1p", "zb_2p"}) {
      const std::string name = fmt::format("make_schedule/{}/{}x{}/{}", schedule, published.ranks,
                                           published.micro_batches, published.model);
      benchmark::RegisterBenchmark(name.c_str(), make, schedule, published)
          ->Unit(benchmark::kMillisecond);
    }
  }
}

}  // namespace
}  // namespace frostline::pipeline

int main(int argc, char** argv) {
  frostline::pipeline::register_all();
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 1;
  benchmark::RunSpecifiedBenchmarks();
  benchmark::Shutdown();
}
