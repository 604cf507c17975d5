#pragma once

#include <coroutine>
#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "cost/topology.h"
#include "pipeline/runner.h"
#include "sim/event_loop.h"
#include "sim/network.h"
#include "sim/tensors.h"

namespace frostline::sim {

/// How sends and receives use the links.
struct TransferRules {
  bool blocking_sends = false;   ///< a sender goes on when the last byte has left
  bool late_receives = false;    ///< a transfer waits until its receive is posted
  base::Duration send_overhead{};  ///< occupies the sender before the transfer starts
};

/// One tensor on its way.
struct Transfer {
  int from = 0;  ///< device
  int to = 0;
  base::Bytes bytes;
  base::Duration delay{};  ///< on top of what the links take; occupies nothing
  Tensor* tensor = nullptr;
  std::coroutine_handle<> sender;  ///< to be resumed when the last byte has left; may be null
};

/// The links of a cluster in virtual time: transfers from one device to another leave one after the
/// other, in the order of their sends; those of different pairs share the links fairly.
class Links {
 public:
  /// `loop` outlives it. `arrived` is told the device when the arrival of a tensor becomes known.
  Links(const cost::Topology& topology, const TransferRules& rules, EventLoop& loop,
        std::function<void(int device)> arrived);
  Links(const Links&) = delete;
  Links& operator=(const Links&) = delete;

  const TransferRules& rules() const { return rules_; }
  /// Takes a transfer whose send begins now. It may start after the rules' overhead.
  void send(const Transfer& transfer);
  /// Tells that a receive on `to` of something from `from` was posted.
  void posted(int from, int to);

 private:
  struct Waiting {
    Transfer transfer;
    base::Duration ready{};  ///< when its overhead is over
  };
  struct Channel {
    std::deque<Waiting> transfers;
    bool under_way = false;  ///< the first of them
  };

  pipeline::Task run();
  void wake_at(base::Duration time);
  /// Starts what can start and delivers what has left.
  void go_on();
  void start_next(Channel& channel);
  void deliver(const Departure& departure);

  TransferRules rules_;
  EventLoop& loop_;
  std::function<void(int device)> arrived_;
  Network network_;
  std::map<std::pair<int, int>, Channel> channels_;
  std::map<FlowId, Channel*> under_way_;
  std::deque<std::pair<base::Duration, Channel*>> overheads_;  ///< when each is over, in order
  std::vector<Channel*> free_;  ///< may start their next transfer
  std::optional<base::Duration> wakes_;  ///< the earliest instant at which run() is scheduled
  std::coroutine_handle<> runner_;
  pipeline::Task task_;
};

}  // namespace frostline::sim
