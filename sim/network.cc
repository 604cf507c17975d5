#include "sim/network.h"

#include <algorithm>
#include <cassert>
#include <utility>

namespace frostline::sim {
namespace {

using base::Duration;

/// Rate units in a byte a second: the least common multiple of 1 to 16.
constexpr std::int64_t kUnits = 720'720;
constexpr std::int64_t kNsPerS = 1'000'000'000;

}  // namespace

Network::Network(cost::Topology topology)
    : topology_(std::move(topology)), links_(topology_.links.size()) {
  for (std::size_t i = 0; i < links_.size(); ++i) {
    assert(topology_.links[i].bytes_per_s > 0);
    links_[i].capacity = Wide{topology_.links[i].bytes_per_s} * kUnits;
  }
}

FlowId Network::start(int from, int to, base::Bytes bytes, Duration now) {
  assert(bytes.count >= 0 && now >= now_);
  assert(departures_.empty() || now <= *next_departure());
  now_ = now;
  const FlowId id = next_++;
  Flow& flow = flows_[id];
  flow.id = id;
  flow.route = topology_.route(from, to);
  if (bytes.count == 0) flow.route.links.clear();
  flow.left = Wide{bytes.count} * kUnits * kNsPerS;
  flow.since = now;
  flow.leaves = flow.route.links.empty() ? now : Duration::max();
  departures_.emplace(flow.leaves, id);
  for (const cost::LinkId used : flow.route.links) {
    link(used).flows.push_back(&flow);
    changed_.push_back(&link(used));
  }
  return id;
}

std::optional<Duration> Network::next_departure() {
  share();
  if (departures_.empty()) return std::nullopt;
  return departures_.begin()->first;
}

std::vector<Departure> Network::advance(Duration now) {
  assert(now >= now_);
  std::vector<Departure> left;
  for (auto next = next_departure(); next && *next <= now; next = next_departure()) {
    now_ = *next;
    // All that leave at once, before what stays is shared again.
    while (!departures_.empty() && departures_.begin()->first == now_) left.push_back(depart());
  }
  now_ = now;
  return left;
}

Departure Network::depart() {
  const auto [time, id] = *departures_.begin();
  departures_.erase(departures_.begin());
  const auto found = flows_.find(id);
  Flow& flow = found->second;
  for (const cost::LinkId used : flow.route.links) {
    std::erase(link(used).flows, &flow);
    changed_.push_back(&link(used));
  }
  const Departure departure{id, time, time + flow.route.latency};
  flows_.erase(found);
  return departure;
}

double Network::bytes_per_s(FlowId flow) {
  share();
  return static_cast<double>(flows_.at(flow).rate) / static_cast<double>(kUnits);
}

void Network::share() {
  if (changed_.empty()) return;
  Component changed = component();
  changed_.clear();
  fill(changed);
  for (Flow* flow : changed.flows) change_rate(*flow);
}

Network::Component Network::component() {
  ++fillings_;
  Component met;
  for (Link* link : changed_) meet(*link, met);
  for (std::size_t i = 0; i < met.links.size(); ++i) {  // grows on the way
    for (Flow* flow : met.links[i]->flows) {
      if (std::exchange(flow->met, fillings_) == fillings_) continue;
      met.flows.push_back(flow);
      for (const cost::LinkId used : flow->route.links) meet(link(used), met);
    }
  }
  return met;
}

void Network::meet(Link& link, Component& met) {
  if (std::exchange(link.met, fillings_) != fillings_) met.links.push_back(&link);
}

/// Progressive filling: the link with the least to give each of its flows decides their rate; what
/// they take is gone from their other links; and so on with the rest.
void Network::fill(Component& component) {
  for (Flow* flow : component.flows) flow->next_rate = 0;
  for (Link* link : component.links) {
    link->unfilled = link->capacity;
    link->waits = std::ssize(link->flows);
  }
  std::vector<Link*>& open = component.links;
  while (true) {
    std::erase_if(open, [](const Link* link) { return link->waits == 0; });
    if (open.empty()) return;
    // In the order of the topology's links among equals.
    Link* slowest = *std::min_element(open.begin(), open.end(), [](Link* a, Link* b) {
      return std::pair(a->share(), a) < std::pair(b->share(), b);
    });
    take_share(*slowest);
  }
}

void Network::take_share(Link& slowest) {
  const Wide share = slowest.share();
  assert(share > 0);
  for (Flow* flow : slowest.flows) {
    if (flow->next_rate != 0) continue;
    flow->next_rate = share;
    for (const cost::LinkId used : flow->route.links) {
      link(used).unfilled -= share;
      --link(used).waits;
    }
  }
}

/// A flow whose rate stays keeps its departure, so that it is rounded once.
void Network::change_rate(Flow& flow) {
  if (flow.next_rate == flow.rate) return;
  const Wide sent = flow.rate * (now_ - flow.since).count();
  flow.left = std::max<Wide>(flow.left - sent, 0);
  flow.since = now_;
  flow.rate = flow.next_rate;
  departures_.erase({flow.leaves, flow.id});
  flow.leaves = now_ + Duration(static_cast<std::int64_t>((flow.left + flow.rate - 1) / flow.rate));
  departures_.emplace(flow.leaves, flow.id);
}

}  // namespace frostline::sim
