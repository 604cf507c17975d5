#include "app/memory_check.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "app/setup.h"
#include "app/step_detail.h"
#include "app/step_memory.h"
#include "base/error.h"
#include "base/join.h"
#include "policy/policies/registry.h"

namespace frostline::app {
namespace {

using base::Bytes;
using pipeline::FreezeMask;

StepMemory first_step_memory(const Scenario& scenario, const cost::ModelCost& cost,
                             const FreezeMask& mask) {
  return {scenario, cost, mask, mask};
}

FreezeMask first_mask(const Scenario& scenario) {
  return policy::make_policy(scenario.freeze, scenario.units)->initial_mask();
}

/// By how much the rank's peak exceeds its device's memory; not above 0 where it fits.
Bytes excess(const StepMemory& memory, std::size_t rank) {
  return memory.ranks[rank].peak() - memory.device_memory[rank];
}

std::size_t tightest_rank(const StepMemory& memory) {
  std::size_t tightest = 0;
  for (std::size_t rank = 1; rank < memory.ranks.size(); ++rank)
    if (excess(memory, rank) > excess(memory, tightest)) tightest = rank;
  return tightest;
}

bool fits(const StepMemory& memory) { return excess(memory, tightest_rank(memory)) <= Bytes{}; }

Bytes largest_peak(const StepMemory& memory) {
  Bytes largest;
  for (const auto& rank : memory.ranks) largest = std::max(largest, rank.peak());
  return largest;
}

/// What of a scenario could be changed, each as a user would write it.
using Change = std::vector<std::string>;

std::vector<Change> other_schedules(const Scenario& scenario) {
  std::vector<Change> changes;
  for (const auto& kind : pipeline::schedule_kinds()) {
    if (scenario.pipeline.schedule.text == kind.name) continue;
    if (kind.refuse(scenario.pipeline.shape())) continue;
    changes.push_back({fmt::format("pipeline.schedule = \"{}\"", kind.name)});
    if (scenario.pipeline.memory_limit != 0)
      changes.back().emplace_back("pipeline.memory_limit = 0.0");
  }
  return changes;
}

/// Twice as many, four times, ... and as many as the layers admit. A table's figures are of so many
/// stages.
std::vector<Change> more_ranks(const Scenario& scenario) {
  if (scenario.cost.source == "table") return {};
  const auto most = scenario.layers() / scenario.pipeline.chunks;
  std::vector<Change> changes;
  for (auto ranks = 2 * scenario.pipeline.ranks; ranks < most; ranks *= 2)
    changes.push_back({fmt::format("pipeline.ranks = {}", ranks)});
  if (most > scenario.pipeline.ranks) changes.push_back({fmt::format("pipeline.ranks = {}", most)});
  return changes;
}

/// The largest peak of the changed scenario's ranks, if it can run and all of them fit.
std::optional<Bytes> peak_that_fits(const Scenario& scenario, const Change& change) {
  auto document = base::Document::from_text(scenario.to_toml(), "scenario");
  for (const auto& assignment : change) document.set(assignment);
  try {
    const auto changed = read_scenario(std::move(document), Use::kSimulate);
    const auto memory = first_step_memory(changed, *scenario_cost(changed), first_mask(changed));
    return fits(memory) ? std::optional(largest_peak(memory)) : std::nullopt;
  } catch (const base::Error&) {
    return std::nullopt;  // the rest of the scenario does not go with it
  }
}

std::string remedies(const Scenario& scenario) {
  std::vector<std::string> found;
  const auto consider = [&](const Change& change) {
    const auto peak = peak_that_fits(scenario, change);
    if (!peak) return false;
    found.push_back(fmt::format("{} (peak {})", base::join(change, " with "), to_text(*peak)));
    return true;
  };
  if (!scenario.pipeline.recomputes()) consider({"pipeline.recompute = \"full\""});
  for (const auto& change : other_schedules(scenario)) consider(change);
  for (const auto& change : more_ranks(scenario))
    if (consider(change)) break;
  if (found.empty())
    return "it would fit neither with recomputation nor with another schedule of this shape or "
           "more "
           "ranks";
  return "it fits with " + base::join(found, " or ");
}

std::string others_text(const StepMemory& memory) {
  std::size_t over = 0;
  for (std::size_t rank = 0; rank < memory.ranks.size(); ++rank)
    if (excess(memory, rank) > Bytes{}) ++over;
  if (over == 1) return "";
  return fmt::format(" (of {} ranks that do not fit it lacks most)", over);
}

std::string problem_text(const Scenario& scenario, const cost::ModelCost& cost,
                         const FreezeMask& mask, const StepMemory& memory) {
  const auto rank = tightest_rank(memory);
  const StepDetail detail(scenario, cost, mask);
  const auto time = memory.peak_times(detail.step.timeline)[rank];
  const int device = tightest_device(scenario, {static_cast<int>(rank)});
  return fmt::format(
      "rank {} runs out of memory{}: at {:.3f} ms of the step it holds {}, {} bytes more than the "
      "{} of its {}; {}; cluster.memory_check = \"report\" simulates it all the same",
      rank, others_text(memory), base::to_ms(time), to_text(memory.ranks[rank].peak()),
      excess(memory, rank).count, to_text(memory.device_memory[rank]),
      scenario.cluster.kind(device).name, remedies(scenario));
}

}  // namespace

std::optional<std::string> check_memory(const Scenario& scenario, const cost::ModelCost& cost) {
  if (!scenario.cluster.given()) return std::nullopt;
  const auto mask = first_mask(scenario);
  const auto memory = first_step_memory(scenario, cost, mask);
  if (fits(memory)) return std::nullopt;
  auto problem = problem_text(scenario, cost, mask, memory);
  if (scenario.cluster.memory_check == "report") return problem;
  throw base::InvalidInput({{{}, std::move(problem)}});
}

}  // namespace frostline::app
