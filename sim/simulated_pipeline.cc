#include "sim/simulated_pipeline.h"

#include <fmt/format.h>

#include <cassert>
#include <vector>

#include "base/error.h"
#include "pipeline/runner.h"

namespace frostline::sim {

using pipeline::Rank;

SimulatedPipeline::SimulatedPipeline(const pipeline::Schedule& schedule,
                                     const cost::PlanTimes& times)
    : schedule_(schedule),
      places_(schedule),
      completions_(schedule.shape),
      links_(schedule, times, loop_, completions_),
      shared_{schedule, places_, times, loop_, completions_, links_} {
  for (const Rank rank : base::ids<Rank>(schedule.shape.ranks)) {
    links_.connect(ranks_.emplace_back(rank, shared_));
  }
}

void SimulatedPipeline::run() {
  assert(loop_.events() == 0);
  std::vector<pipeline::Task> tasks;
  tasks.reserve(ranks_.size());
  for (std::size_t rank = 0; rank < ranks_.size(); ++rank) {
    tasks.push_back(pipeline::run_schedule(ranks_[rank], schedule_.actions[rank]));
  }
  loop_.run();
  for (const pipeline::Task& task : tasks) {
    if (task.done()) task.rethrow();
  }
  check_ended();
}

void SimulatedPipeline::check_ended() const {
  std::string blockades;
  for (const SimulatedStage& rank : ranks_) {
    if (const auto blockade = rank.blockade()) blockades += "\n  " + *blockade;
  }
  if (blockades.empty()) return;
  throw base::Error(fmt::format("schedule '{}' deadlocked after {}:{}", schedule_.name,
                                base::to_text(loop_.now()), blockades));
}

pipeline::Timeline SimulatedPipeline::timeline() const {
  pipeline::Timeline timeline{schedule_.shape.ranks, {}};
  for (const SimulatedStage& rank : ranks_) {
    timeline.spans.insert(timeline.spans.end(), rank.spans().begin(), rank.spans().end());
  }
  return timeline;
}

}  // namespace frostline::sim
