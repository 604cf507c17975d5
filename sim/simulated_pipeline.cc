#include "sim/simulated_pipeline.h"

#include <fmt/format.h>

#include <cassert>

#include "base/error.h"
#include "pipeline/runner.h"

namespace frostline::sim {

using pipeline::Rank;

SimulatedPipeline::SimulatedPipeline(const pipeline::Schedule& schedule,
                                     const cost::PlanTimes& times,
                                     const StepConditions& conditions)
    : schedule_(schedule),
      table_(schedule, times, nullptr, times.uniform()),
      tensors_(schedule.shape),
      links_(make_links(conditions)),
      shared_{schedule,
              times,
              table_,
              loop_,
              tensors_,
              links_.get(),
              conditions.noise,
              conditions.start,
              conditions.step,
              conditions.records_spans},
      gradients_(static_cast<std::size_t>(schedule.shape.stages())) {
  for (const Rank rank : base::ids<Rank>(schedule.shape.ranks)) {
    by_rank_.push_back(&ranks_.emplace_back(rank, shared_, by_rank_, gradients_));
  }
}

std::unique_ptr<Links> SimulatedPipeline::make_links(const StepConditions& conditions) {
  if (conditions.topology == nullptr) return nullptr;
  return std::make_unique<Links>(*conditions.topology, conditions.rules, loop_, [this](int device) {
    by_rank_[static_cast<std::size_t>(device)]->wake();
  });
}

void SimulatedPipeline::run() {
  assert(loop_.events() == 0);
  std::vector<pipeline::Task> tasks;
  tasks.reserve(ranks_.size());
  for (std::size_t rank = 0; rank < ranks_.size(); ++rank) {
    tasks.push_back(pipeline::run_schedule(ranks_[rank], schedule_.actions[rank]));
  }
  loop_.run();
  check_ended(tasks);
}

void SimulatedPipeline::check_ended(const std::vector<pipeline::Task>& tasks) const {
  std::string blockades;
  for (std::size_t rank = 0; rank < tasks.size(); ++rank) {
    if (tasks[rank].done()) {
      tasks[rank].rethrow();
    } else {
      blockades += "\n  " + ranks_[rank].blockade();
    }
  }
  if (blockades.empty()) return;
  throw base::Error(fmt::format("schedule '{}' deadlocked after {}:{}", schedule_.name,
                                base::to_text(loop_.now()), blockades));
}

pipeline::StepUse SimulatedPipeline::use() const {
  pipeline::StepUse use;
  for (const SimulatedStage& rank : ranks_) use.ranks.push_back(rank.use());
  use.gradients = gradients_;
  return use;
}

pipeline::Timeline SimulatedPipeline::timeline() const {
  pipeline::Timeline timeline{schedule_.shape.ranks, {}};
  for (const SimulatedStage& rank : ranks_) {
    timeline.spans.insert(timeline.spans.end(), rank.spans().begin(), rank.spans().end());
  }
  return timeline;
}

}  // namespace frostline::sim
