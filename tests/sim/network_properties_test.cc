#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <limits>
#include <map>
#include <vector>

#include "sim/network.h"
#include "tests/sim/star.h"

namespace frostline::sim {
namespace {

using base::Bytes;
using base::Duration;

/// Uniform from the first case on; left alone, RapidCheck begins with the smallest numbers.
int below(int bound) { return *rc::gen::resize(rc::kNominalSize, rc::gen::inRange(0, bound)); }

struct Transfer {
  int from = 0;
  int to = 0;
  std::int64_t bytes = 0;
  Duration start{};
};

cost::Topology draw_topology() {
  std::vector<PortRates> rates;
  const int devices = 2 + below(6);
  for (int i = 0; i < devices; ++i) rates.push_back({1 + below(20), 1 + below(20)});
  return star(rates);
}

/// In the order of their starts.
std::vector<Transfer> draw_transfers(int devices) {
  std::vector<Transfer> transfers;
  Duration now{};
  const int count = 1 + below(20);
  for (int i = 0; i < count; ++i) {
    now += Duration(below(3) == 0 ? 0 : below(200));
    const int from = below(devices);
    const int to = (from + 1 + below(devices - 1)) % devices;
    transfers.push_back({from, to, 1 + below(2000), now});
  }
  return transfers;
}

using Flows = std::map<FlowId, Transfer>;

double rate_of_link(Network& network, const Flows& flows, cost::LinkId link) {
  double sum = 0;
  for (const auto& [id, transfer] : flows) {
    const auto route = network.topology().route(transfer.from, transfer.to);
    if (std::count(route.links.begin(), route.links.end(), link)) sum += network.bytes_per_s(id);
  }
  return sum;
}

double fastest_on_link(Network& network, const Flows& flows, cost::LinkId link) {
  double most = 0;
  for (const auto& [id, transfer] : flows) {
    const auto route = network.topology().route(transfer.from, transfer.to);
    if (std::count(route.links.begin(), route.links.end(), link)) {
      most = std::max(most, network.bytes_per_s(id));
    }
  }
  return most;
}

/// The condition that makes an allocation max-min fair: each flow has a link that is full and on
/// which nobody is faster.
void check_fair(Network& network, const Flows& flows) {
  constexpr double kRounding = 1e-9;
  const auto capacity = [&](cost::LinkId link) {
    return static_cast<double>(network.topology().links[link.index()].bytes_per_s);
  };
  for (const auto& [id, transfer] : flows) {
    bool bottleneck = false;
    for (const cost::LinkId link : network.topology().route(transfer.from, transfer.to).links) {
      const double used = rate_of_link(network, flows, link);
      RC_ASSERT(used <= capacity(link) * (1 + kRounding));
      const bool full = used >= capacity(link) * (1 - kRounding);
      const double own = network.bytes_per_s(id) * (1 + kRounding);
      bottleneck = bottleneck || (full && own >= fastest_on_link(network, flows, link));
    }
    RC_ASSERT(bottleneck);
  }
}

/// Starts all transfers, stopping at every change, and calls `visit` after each with the time
/// and what is under way. Returns all departures.
template <class Visit>
std::vector<Departure> run(Network& network, const std::vector<Transfer>& transfers, Visit visit) {
  Flows flows;
  std::vector<Departure> all;
  const auto advance = [&](Duration time) {
    for (const Departure& departure : network.advance(time)) {
      flows.erase(departure.flow);
      all.push_back(departure);
    }
    visit(time, flows);
  };
  for (const Transfer& transfer : transfers) {
    while (network.next_departure() && *network.next_departure() <= transfer.start) {
      advance(*network.next_departure());
    }
    advance(transfer.start);
    flows[network.start(transfer.from, transfer.to, Bytes{transfer.bytes}, transfer.start)] =
        transfer;
    visit(transfer.start, flows);
  }
  while (network.next_departure()) advance(*network.next_departure());
  return all;
}

RC_GTEST_PROP(NetworkProperties, SharesAreMaxMinFair, ()) {
  Network network(draw_topology());
  const auto transfers = draw_transfers(static_cast<int>(network.topology().devices.size()));
  const auto all =
      run(network, transfers, [&](Duration, const Flows& flows) { check_fair(network, flows); });
  RC_ASSERT(all.size() == transfers.size());
  RC_ASSERT(network.flows_under_way() == 0U);
}

/// Rates summed over time.
class SentBytes {
 public:
  explicit SentBytes(Network& network) : network_(network) {}

  void look(Duration now, const Flows& flows) {
    const auto seconds = static_cast<double>((now - now_).count()) * 1e-9;
    for (const FlowId id : under_way_) sent_[id] += rates_[id] * seconds;
    now_ = now;
    under_way_.clear();
    for (const auto& [id, transfer] : flows) {
      under_way_.push_back(id);
      rates_[id] = network_.bytes_per_s(id);
    }
  }

  double sent(FlowId id) { return sent_[id]; }
  double last_rate(FlowId id) { return rates_[id]; }

 private:
  Network& network_;
  Duration now_{};
  std::vector<FlowId> under_way_;
  std::map<FlowId, double> rates_;
  std::map<FlowId, double> sent_;
};

/// Each flow gets its bytes, up to what the nanosecond gives that its departure is rounded by.
RC_GTEST_PROP(NetworkProperties, EveryByteIsSentOnce, ()) {
  Network network(draw_topology());
  const auto transfers = draw_transfers(static_cast<int>(network.topology().devices.size()));
  SentBytes bytes(network);
  run(network, transfers, [&](Duration now, const Flows& flows) { bytes.look(now, flows); });
  for (std::size_t i = 0; i < transfers.size(); ++i) {
    const auto id = static_cast<FlowId>(i);
    const auto wanted = static_cast<double>(transfers[i].bytes);
    RC_ASSERT(bytes.sent(id) >= wanted * (1 - 1e-9));
    RC_ASSERT(bytes.sent(id) <= wanted + bytes.last_rate(id) * 1e-9 + 1e-6);
  }
}

/// One after the other, each alone: the closed form.
RC_GTEST_PROP(NetworkProperties, ALoneFlowTakesItsClosedForm, ()) {
  Network network(draw_topology());
  Duration now{};
  for (const Transfer& transfer :
       draw_transfers(static_cast<int>(network.topology().devices.size()))) {
    std::int64_t slowest = std::numeric_limits<std::int64_t>::max();
    for (const cost::LinkId link : network.topology().route(transfer.from, transfer.to).links) {
      slowest = std::min(slowest, network.topology().links[link.index()].bytes_per_s);
    }
    network.start(transfer.from, transfer.to, Bytes{transfer.bytes}, now);
    now += Duration((transfer.bytes * 1'000'000'000 + slowest - 1) / slowest);
    RC_ASSERT(network.next_departure() == now);
    RC_ASSERT(network.advance(now).size() == 1U);
  }
}

/// Looking in between, and at what time, changes nothing.
RC_GTEST_PROP(NetworkProperties, TheSameCallsGiveTheSameDepartures, ()) {
  const cost::Topology topology = draw_topology();
  const auto transfers = draw_transfers(static_cast<int>(topology.devices.size()));
  Network watched(topology);
  const auto expected =
      run(watched, transfers, [&](Duration, const Flows& flows) { check_fair(watched, flows); });
  Network network(topology);
  std::vector<Departure> all;
  const auto advance = [&](Duration time) {
    for (const Departure& departure : network.advance(time)) all.push_back(departure);
  };
  for (const Transfer& transfer : transfers) {
    advance(transfer.start);
    network.start(transfer.from, transfer.to, Bytes{transfer.bytes}, transfer.start);
  }
  advance(transfers.back().start + Duration(1'000'000'000));
  RC_ASSERT(all == expected);
}

}  // namespace
}  // namespace frostline::sim
