#include "sim/links.h"

#include "pipeline/dependencies.h"
#include "sim/simulated_stage.h"

namespace frostline::sim {

void Links::carry(const pipeline::Step& send) {
  completions_.note(send, loop_.now() + times_.delay(send));
  const pipeline::StageId receiver = pipeline::receive_of(send).stage;
  ranks_.at(schedule_.rank_of(receiver).index())->wake();
}

}  // namespace frostline::sim
