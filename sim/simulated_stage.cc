#include "sim/simulated_stage.h"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <utility>

#include "pipeline/dependencies.h"

namespace frostline::sim {
namespace {

using base::Duration;
using pipeline::Action;
using pipeline::Step;

std::string text_of_missing(const Step& step) {
  if (pipeline::is_send(step.kind)) {
    return fmt::format("{}, whose send {} was not performed", to_text(pipeline::receive_of(step)),
                       to_text(step));
  }
  const bool receive = pipeline::is_receive(step.kind);
  return fmt::format("{}, which was not {}", to_text(step), receive ? "posted" : "performed");
}

}  // namespace

bool SimulatedStage::begin(const Action& action, std::coroutine_handle<> waiting) {
  const Step& step = action.first();
  if (pipeline::is_computation(action)) {
    assert(!pending_);
    pending_ = Pending{action, waiting, awaited(action)};
    wake();
    return false;
  }
  if (pipeline::is_send(step.kind)) shared_.links.carry(step);
  if (pipeline::is_receive(step.kind)) shared_.completions.note(step, shared_.loop.now());
  // A reduction has no time: without replicas there is nothing to reduce.
  return true;
}

void SimulatedStage::wake() {
  if (pending_ && !missing(pending_->awaited)) compute(*std::exchange(pending_, std::nullopt));
}

void SimulatedStage::compute(const Pending& ready) {
  const Action& action = ready.action;
  Duration start = shared_.loop.now();
  for (const Step& step : ready.awaited) {
    start = std::max(start, *shared_.completions.find(step));
  }
  const Duration end = start + shared_.times.computation(action);
  for (const Step& step : action.steps()) shared_.completions.note(step, end);
  memory_.perform(action);
  spans_.push_back({rank_, action, start, end});
  shared_.loop.resume_at(end, ready.waiting);
}

SimulatedStage::Steps SimulatedStage::awaited(const Action& computation) const {
  Steps steps;
  for (const Step& step : computation.steps()) {
    for (const Step& input :
         pipeline::inputs_of(step, shared_.places, shared_.schedule.last_stage())) {
      if (shared_.schedule.rank_of(input.stage) == rank_) {
        steps.push_back(input);
      } else {
        const Step send = pipeline::send_of(input);
        steps.push_back(pipeline::receive_of(send));
        steps.push_back(send);
      }
    }
  }
  return steps;
}

std::optional<Step> SimulatedStage::missing(const Steps& awaited) const {
  for (const Step& step : awaited) {
    if (!shared_.completions.find(step)) return step;
  }
  return std::nullopt;
}

std::optional<std::string> SimulatedStage::blockade() const {
  if (!pending_) return std::nullopt;
  return fmt::format("rank {} stands before {}, which waits for {}", rank_.value,
                     to_text(pending_->action), text_of_missing(*missing(pending_->awaited)));
}

}  // namespace frostline::sim
