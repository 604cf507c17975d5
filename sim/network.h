#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "base/bytes.h"
#include "base/time.h"
#include "cost/topology.h"

namespace frostline::sim {

/// A transfer under way. Numbers rise in the order of the starts.
using FlowId = std::int64_t;

/// A flow whose last byte has left its sender.
struct Departure {
  FlowId flow = 0;
  base::Duration left{};
  base::Duration arrives{};  ///< left + the route's latency: the receiver has all of it

  friend bool operator==(const Departure&, const Departure&) = default;
};

/// Transfers as flows that share links by max-min fairness: no flow's rate can rise without
/// lowering that of one that is no faster (Bertsekas and Gallager, "Data Networks", 1992, 6.5.2).
/// Rates change only when a flow starts or leaves, and only for flows that share links with it,
/// directly or through others.
///
/// All is exact integers: a rate counts 1/720720 bytes a second (any number up to 16 divides it, so
/// that so many flows share a link exactly; other shares are rounded down), and when a flow leaves
/// is rounded up once to the nanosecond. A flow that has its links to itself leaves
/// ceil(bytes / slowest link) after its start. The same calls give the same answers.
///
/// For an event simulation: after each start() or advance(), be woken at next_departure(), call
/// advance(now), and deliver each flow at its arrives.
class Network {
 public:
  explicit Network(cost::Topology topology);
  Network(const Network&) = delete;
  Network& operator=(const Network&) = delete;

  /// Begins to send at `now`, which is no earlier than any time given before and no later than
  /// next_departure(). Without bytes, or to the device itself, it leaves at once.
  FlowId start(int from, int to, base::Bytes bytes, base::Duration now);
  /// When the next flow leaves if none starts before. Nothing if none is under way.
  std::optional<base::Duration> next_departure();
  /// What left until `now`, included, in order of time and then of start.
  std::vector<Departure> advance(base::Duration now);

  std::size_t flows_under_way() const { return flows_.size(); }
  /// Of a flow under way, as shared now; 0 for one without bytes or links.
  double bytes_per_s(FlowId flow);
  const cost::Topology& topology() const { return topology_; }

 private:
  __extension__ using Wide = __int128;

  struct Flow {
    FlowId id = 0;
    cost::Route route;
    Wide left = 0;  ///< still to be sent at `since`, in rate units x nanoseconds
    Wide rate = 0;
    base::Duration since{};
    base::Duration leaves{};
    Wide next_rate = 0;     ///< while filling; 0: not yet known
    std::uint64_t met = 0;  ///< the filling that met it last
  };
  struct Link {
    Wide capacity = 0;
    std::vector<Flow*> flows;
    Wide unfilled = 0;       ///< while filling: capacity less the rates known
    std::int64_t waits = 0;  ///< while filling: flows whose rate is not known
    std::uint64_t met = 0;
    /// What each waiting flow may have.
    Wide share() const { return unfilled / waits; }
  };
  /// Flows and links that hang together.
  struct Component {
    std::vector<Link*> links;
    std::vector<Flow*> flows;
  };

  Link& link(cost::LinkId id) { return links_[id.index()]; }
  /// Shares the links again if a flow has started or left since.
  void share();
  Component component();
  void meet(Link& link, Component& met);
  void fill(Component& component);
  void take_share(Link& slowest);
  void change_rate(Flow& flow);
  Departure depart();

  cost::Topology topology_;
  std::vector<Link> links_;
  std::map<FlowId, Flow> flows_;
  std::set<std::pair<base::Duration, FlowId>> departures_;
  std::vector<Link*> changed_;  ///< links that a flow has joined or left since they were shared
  base::Duration now_{};
  FlowId next_ = 0;
  std::uint64_t fillings_ = 0;
};

}  // namespace frostline::sim
