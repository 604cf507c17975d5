#include "sim/links.h"

#include <algorithm>

namespace frostline::sim {
namespace {

using base::Duration;

/// Suspends a coroutine and says where it can be resumed.
struct Suspension {
  std::coroutine_handle<>& handle;
  bool await_ready() const noexcept { return false; }
  void await_suspend(std::coroutine_handle<> waiting) const noexcept { handle = waiting; }
  void await_resume() const noexcept {}
};

}  // namespace

Links::Links(const cost::Topology& topology, const TransferRules& rules, EventLoop& loop,
             std::function<void(int device)> arrived)
    : rules_(rules),
      loop_(loop),
      arrived_(std::move(arrived)),
      network_(topology),
      task_(run()) {}

/// Resumed whenever something may leave or start.
pipeline::Task Links::run() {
  while (true) {
    co_await Suspension{runner_};
    if (wakes_ && *wakes_ <= loop_.now()) wakes_.reset();
    go_on();
  }
}

void Links::send(const Transfer& transfer) {
  Channel& channel = channels_[{transfer.from, transfer.to}];
  const Duration ready = loop_.now() + rules_.send_overhead;
  channel.transfers.push_back({transfer, ready});
  overheads_.emplace_back(ready, &channel);
  wake_at(ready);
}

void Links::posted(int from, int to) {
  if (!rules_.late_receives) return;
  const auto found = channels_.find({from, to});
  if (found == channels_.end()) return;
  free_.push_back(&found->second);
  wake_at(loop_.now());
}

void Links::wake_at(Duration time) {
  if (wakes_ && *wakes_ <= time) return;  // there it looks for what comes next
  wakes_ = time;
  loop_.resume_at(time, runner_);
}

void Links::go_on() {
  while (true) {
    for (; !overheads_.empty() && overheads_.front().first <= loop_.now(); overheads_.pop_front()) {
      free_.push_back(overheads_.front().second);
    }
    for (Channel* channel : std::exchange(free_, {})) start_next(*channel);
    // What starts without bytes leaves at once, and what leaves frees its channel.
    const std::vector<Departure> left = network_.advance(loop_.now());
    if (left.empty()) break;
    for (const Departure& departure : left) deliver(departure);
  }
  if (const auto next = network_.next_departure()) wake_at(*next);
  if (!overheads_.empty()) wake_at(overheads_.front().first);
}

/// If it can.
void Links::start_next(Channel& channel) {
  if (channel.under_way || channel.transfers.empty()) return;
  const Waiting& first = channel.transfers.front();
  const Transfer& transfer = first.transfer;
  if (first.ready > loop_.now()) return;
  if (rules_.late_receives && !transfer.tensor->posted()) return;
  channel.under_way = true;
  under_way_[network_.start(transfer.from, transfer.to, transfer.bytes, loop_.now())] = &channel;
}

void Links::deliver(const Departure& departure) {
  const auto found = under_way_.find(departure.flow);
  Channel& channel = *found->second;
  under_way_.erase(found);
  const Transfer transfer = channel.transfers.front().transfer;
  channel.transfers.pop_front();
  channel.under_way = false;
  free_.push_back(&channel);
  transfer.tensor->send(departure.arrives + transfer.delay);
  if (transfer.sender) loop_.resume_at(loop_.now(), transfer.sender);
  arrived_(transfer.to);
}

}  // namespace frostline::sim
