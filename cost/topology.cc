#include "cost/topology.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <limits>

namespace frostline::cost {
namespace {

constexpr double kBytesPerGbit = 1e9 / 8;

std::int64_t bytes_per_s(double gbit_s) { return std::llround(gbit_s * kBytesPerGbit); }

class TopologyMaker {
 public:
  TopologyMaker(const ClusterSettings& settings, int devices)
      : settings_(settings), half_(settings.duplex == "half"), devices_(devices) {}

  Topology make() {
    topology_.node_latency = base::from_ms(settings_.node_link_us / 1e3);
    topology_.network_latency = base::from_ms(settings_.network_us / 1e3);
    add_devices();
    add_nodes();
    for (std::size_t i = 0; i < settings_.region_links.size(); ++i) add_region_link(i);
    return std::move(topology_);
  }

 private:
  void add_devices() {
    const std::int64_t rate = bytes_per_s(settings_.node_link_gbit_s);
    for (int device = 0; device < devices_; ++device) {
      topology_.devices.push_back({add_port("device", device, rate), settings_.node(device)});
    }
  }

  void add_nodes() {
    const std::int64_t rate = bytes_per_s(settings_.network_gbit_s);
    for (int node = 0; node <= settings_.node(devices_ - 1); ++node) {
      topology_.nodes.push_back({add_port("node", node, rate), region(settings_.region(node))});
    }
  }

  void add_region_link(std::size_t index) {
    auto [a, b] = joined_regions(settings_.region_links[index], settings_.regions);
    if (region(b) < region(a)) std::swap(a, b);
    const std::int64_t rate = bytes_per_s(one_or_each(settings_.region_gbit_s, index));
    const auto latency = base::from_ms(one_or_each(settings_.region_ms, index));
    const auto ways =
        half_ ? add_both_ways(a + "-" + b, rate)
              : Topology::Directions{add(a + " to " + b, rate), add(b + " to " + a, rate)};
    topology_.region_links[{region(a), region(b)}] = {ways, latency};
  }

  /// Regions are numbered as they are met.
  int region(const std::string& name) {
    return regions_.try_emplace(name, static_cast<int>(regions_.size())).first->second;
  }

  Topology::Directions add_port(const char* whose, int number, std::int64_t rate) {
    const std::string name = std::string(whose) + " " + std::to_string(number);
    if (half_) return add_both_ways(name, rate);
    return {add(name + " out", rate), add(name + " in", rate)};
  }

  Topology::Directions add_both_ways(const std::string& name, std::int64_t rate) {
    const LinkId link = add(name, rate);
    return {link, link};
  }

  LinkId add(const std::string& name, std::int64_t rate) {
    topology_.links.push_back({name, rate});
    return {static_cast<int>(topology_.links.size()) - 1};
  }

  const ClusterSettings& settings_;
  bool half_;
  int devices_;
  std::map<std::string, int> regions_;
  Topology topology_;
};

}  // namespace

Route Topology::route(int from, int to) const {
  if (from == to) return {};
  const Device& sender = devices.at(static_cast<std::size_t>(from));
  const Device& receiver = devices.at(static_cast<std::size_t>(to));
  if (sender.node == receiver.node) {
    return {{sender.port.out, receiver.port.in}, node_latency};
  }
  const Node& first = nodes.at(static_cast<std::size_t>(sender.node));
  const Node& last = nodes.at(static_cast<std::size_t>(receiver.node));
  if (first.region == last.region) return {{first.port.out, last.port.in}, network_latency};
  const auto joined = region_links.find(std::minmax(first.region, last.region));
  assert(joined != region_links.end());
  const auto& [ways, latency] = joined->second;
  const LinkId between = first.region < last.region ? ways.out : ways.in;
  return {{first.port.out, between, last.port.in}, latency};
}

base::Duration Topology::lone_transfer(int from, int to, base::Bytes bytes) const {
  __extension__ using Wide = __int128;
  constexpr std::int64_t kNsPerS = 1'000'000'000;
  if (from == to) return {};
  const Route way = route(from, to);
  std::int64_t rate = std::numeric_limits<std::int64_t>::max();
  for (const LinkId link : way.links) rate = std::min(rate, links[link.index()].bytes_per_s);
  const Wide sent = (Wide{bytes.count} * kNsPerS + rate - 1) / rate;
  return base::Duration(static_cast<std::int64_t>(sent)) + way.latency;
}

Topology make_topology(const ClusterSettings& settings, int devices) {
  assert(settings.given() && devices > 0);
  return TopologyMaker(settings, devices).make();
}

}  // namespace frostline::cost
