#include "app/step_memory.h"

#include <utility>

#include "app/setup.h"
#include "pipeline/rewrite.h"

namespace frostline::app {
namespace {

using cost::RankMemory;
using pipeline::FreezeMask;

/// Without a model nothing says how many learnable numbers a layer has.
cost::MemoryFigures figures(const Scenario& scenario, const FreezeMask& mask,
                            const FreezeMask& untrained) {
  if (!scenario.has_model()) return {0, 0, 0, untrained};
  return {scenario.cost.weight_bytes, scenario.cost.gradient_bytes, scenario.cost.optimizer_bytes,
          scenario.freeze.keeps_optimizer_state() ? untrained : mask};
}

/// One number a rank.
template <class Number>
nlohmann::json by_rank(const std::vector<RankMemory>& ranks, const Number& number) {
  auto list = nlohmann::json::array();
  for (const auto& rank : ranks) list.push_back(number(rank));
  return list;
}

nlohmann::json bytes_by_rank(const std::vector<RankMemory>& ranks, base::Bytes RankMemory::* part) {
  return by_rank(ranks, [&](const RankMemory& rank) { return (rank.*part).count; });
}

double micro_batches(const RankMemory& rank) {
  if (rank.micro_batch.count == 0) return 0;
  return static_cast<double>(rank.peak_activations.count) /
         static_cast<double>(rank.micro_batch.count);
}

std::vector<base::Bytes> device_memory(const Scenario& scenario) {
  std::vector<base::Bytes> memory;
  if (!scenario.cluster.given()) return memory;
  for (const auto rank : base::ids<pipeline::Rank>(scenario.pipeline.shape().ranks))
    memory.push_back(scenario.cluster.memory(tightest_device(scenario, rank)));
  return memory;
}

nlohmann::json parts_json(const std::vector<RankMemory>& ranks, bool has_model) {
  nlohmann::json parts = {{"activations", bytes_by_rank(ranks, &RankMemory::peak_activations)},
                          {"buffers", bytes_by_rank(ranks, &RankMemory::buffers)}};
  if (!has_model) return parts;
  parts["weights"] = bytes_by_rank(ranks, &RankMemory::weights);
  parts["gradients"] = bytes_by_rank(ranks, &RankMemory::gradients);
  parts["optimizer"] = bytes_by_rank(ranks, &RankMemory::optimizer);
  return parts;
}

}  // namespace

int tightest_device(const Scenario& scenario, pipeline::Rank rank) {
  const int ranks = scenario.pipeline.shape().ranks;
  int tightest = rank.value;
  for (int device = rank.value; device < ranks * scenario.pipeline.replicas; device += ranks)
    if (scenario.cluster.memory(device) < scenario.cluster.memory(tightest)) tightest = device;
  return tightest;
}

StepMemory::StepMemory(const Scenario& scenario, const cost::ModelCost& cost,
                       const FreezeMask& mask, const FreezeMask& untrained)
    : StepMemory(scenario, cost, make_plan(scenario, cost, mask), untrained) {}

StepMemory::StepMemory(const Scenario& scenario, const cost::ModelCost& cost,
                       const pipeline::Plan& plan, const FreezeMask& untrained)
    : schedule(pipeline::executable_schedule(plan, scenario.units)),
      ranks(cost::rank_memory(plan, schedule, cost::PlanTimes(cost, scenario.units, plan),
                              scenario.units,
                              figures(scenario, plan.freeze.whole_step(), untrained))),
      device_memory(app::device_memory(scenario)),
      has_model(scenario.has_model()) {}

std::vector<base::Duration> StepMemory::peak_times(const pipeline::Timeline& timeline) const {
  std::vector<base::Duration> times(ranks.size());
  for (const auto& span : timeline.spans) {
    const auto rank = span.rank.index();
    const auto position = ranks.at(rank).peak_position;
    const bool peak = position && schedule.actions[rank][*position] == span.action;
    if (peak) times[rank] = span.start;
  }
  return times;
}

nlohmann::json StepMemory::json(const pipeline::Timeline& timeline) const {
  auto at_ms = nlohmann::json::array();
  for (const auto time : peak_times(timeline)) at_ms.push_back(base::to_ms(time));
  nlohmann::json memory = {
      {"peak_activations", by_rank(ranks, micro_batches)},
      {"peak_activation_bytes", bytes_by_rank(ranks, &RankMemory::peak_activations)},
      {"peak_memory_bytes",
       by_rank(ranks, [](const RankMemory& rank) { return rank.peak().count; })},
      {"peak_memory_at_ms", std::move(at_ms)},
      {"memory_parts", parts_json(ranks, has_model)}};
  for (const auto device : device_memory) memory["device_memory_bytes"].push_back(device.count);
  return memory;
}

}  // namespace frostline::app
