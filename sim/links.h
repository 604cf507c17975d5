#pragma once

#include <vector>

#include "pipeline/action_times.h"
#include "pipeline/schedule.h"
#include "sim/completions.h"
#include "sim/event_loop.h"

namespace frostline::sim {

class SimulatedStage;

/// The links between the ranks of one step. A link delays what it carries and holds up nobody: any
/// number of transfers are under way at once.
class Links {
 public:
  Links(const pipeline::Schedule& schedule, const pipeline::ActionTimes& times,
        const EventLoop& loop, Completions& completions)
      : schedule_(schedule), times_(times), loop_(loop), completions_(completions) {}

  /// Ranks are connected in their order.
  void connect(SimulatedStage& rank) { ranks_.push_back(&rank); }
  /// Begins a transfer now; the rank that receives it learns when it will arrive.
  void carry(const pipeline::Step& send);

 private:
  const pipeline::Schedule& schedule_;
  const pipeline::ActionTimes& times_;
  const EventLoop& loop_;
  Completions& completions_;
  std::vector<SimulatedStage*> ranks_;
};

}  // namespace frostline::sim
