#include "sim/simulated_stage.h"

#include <fmt/format.h>

#include "pipeline/dependencies.h"

namespace frostline::sim {

using base::Duration;
using pipeline::Action;
using pipeline::Step;

/// Rank r is device r. The sender goes on at once, after the overhead, or, if sends block, when the
/// last byte has left.
bool SimulatedStage::send_over_links(const Action& action, std::coroutine_handle<> waiting) {
  const Step send = action.first();
  const int to = rank_of(pipeline::receive_of(send).stage).value;
  const TransferRules& rules = shared_->links->rules();
  Transfer transfer{rank_.value, to, shared_->times.message(send),
                    shared_->times.pure_delay(), &shared_->tensors.of(send), {}};
  if (rules.blocking_sends) {
    transfer.sender = waiting;
    blocked_send_ = send;
    post_adjacent(action);
  }
  shared_->links->send(transfer);
  if (rules.blocking_sends) return false;
  if (rules.send_overhead == Duration::zero()) return true;
  loop_->resume_at(loop_->now() + rules.send_overhead, waiting);
  return false;
}

/// Transfers that stand side by side in the list are begun together, as a batch of PyTorch's
/// batch_isend_irecv is: two neighbours that send to each other at once would block each other for
/// ever otherwise.
void SimulatedStage::post_adjacent(const Action& send) {
  const auto& list = shared_->schedule.actions[rank_.index()];
  for (const Action* next = &send + 1; next != list.data() + list.size(); ++next) {
    if (pipeline::is_receive(next->kind())) {
      post(*next);
    } else if (!pipeline::is_send(next->kind())) {
      return;
    }
  }
}

void SimulatedStage::tell_links(const Step& receive) {
  const Step send = pipeline::send_for(receive);
  shared_->links->posted(rank_of(send.stage).value, rank_.value);
}

/// An overlapped pair draws as its first step.
Duration SimulatedStage::disturbed(const Action& action, Duration duration) const {
  if (shared_->noise == nullptr) return duration;
  return shared_->noise->stretched(rank_.value, shared_->start + start_, duration, shared_->step,
                                   action.first());
}

std::string SimulatedStage::blockade() const {
  if (pending_ == nullptr) {
    return fmt::format("rank {} stands in {}, which waits for {}", rank_.value,
                       to_text(*blocked_send_), to_text(pipeline::receive_of(*blocked_send_)));
  }
  std::string missing;
  for (const Step& step : pending_->steps()) {
    if (missing.empty()) missing = text_of_missing(step);
  }
  return fmt::format("rank {} stands before {}, which waits for {}", rank_.value,
                     to_text(*pending_), missing);
}

/// What a computation waits for, as the schedule's texts call it; "" if for nothing.
std::string SimulatedStage::text_of_missing(const Step& computation) const {
  const pipeline::StepPlaces places(shared_->schedule);
  for (const Step& input : pipeline::inputs_of(computation, places, shared_->schedule.last_stage())) {
    const Tensor& tensor = shared_->tensors.of(input);
    if (rank_of(input.stage) == rank_) {
      if (!tensor.computed()) return fmt::format("{}, which was not performed", to_text(input));
      continue;
    }
    const Step send = pipeline::send_of(input);
    const Step receive = pipeline::receive_of(send);
    if (!tensor.posted()) return fmt::format("{}, which was not posted", to_text(receive));
    if (!tensor.sent()) {
      return fmt::format("{}, whose send {} was not performed", to_text(receive), to_text(send));
    }
  }
  return "";
}

}  // namespace frostline::sim
