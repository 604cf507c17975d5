#include "cost/cluster_settings.h"

#include <cassert>
#include <cmath>

namespace frostline::cost {
namespace {

using base::Allowed;
using base::at_least;
using base::between;
using Settings = ClusterSettings;
using Section = base::Section<ClusterSettings>;

/// From 10 Mbit/s to a petabit a second: times of transfers stay far from overflow.
Allowed<double> rates() { return between(0.01, 1e6); }
Allowed<double> latencies_us() { return between(0.0, 1e6); }
Allowed<double> latencies_ms() { return between(0.0, 1e5); }
Allowed<std::string> region_names() {
  return {"a name", [](const std::string& name) { return !name.empty(); }, {}};
}
/// Up to 11 days.
Allowed<double> seconds() { return between(0.0, 1e6); }

Section with_devices(Section section) {
  return std::move(section)
      .key("devices", &Settings::devices, base::one_of(device_names()),
           "Kinds of the simulated devices, one for all or one a device (rank r of replica d is "
           "device d x ranks + r); without devices there is no cluster and a transfer is a pure "
           "delay of cost.send_ms.")
      .key("efficiency", &Settings::efficiency, between(0.0, 1.0),
           "Share of its peak that a device sustains in training; 0: the built-in figure of its "
           "kind.")
      .key("memory_gib", &Settings::memory_gib, between(0.0, 1e6),
           "Memory of a device; 0: that of its kind.")
      .key("memory_check", &Settings::memory_check, base::one_of({"refuse", "report"}),
           "What becomes of a run in which a rank holds more than its device's memory: refused "
           "before it starts, or simulated and reported. Either way it is said what would fit.")
      .key("devices_per_node", &Settings::devices_per_node, between(1, 1 << 20),
           "Devices that share a node's network port; devices fill nodes in order.")
      .key("regions", &Settings::regions, region_names(),
           "Where the nodes stand: region names, one for all or one a node; if empty, all in one.");
}

Section with_links(Section section) {
  return std::move(section)
      .key("node_link_gbit_s", &Settings::node_link_gbit_s, rates(),
           "A device's port to the others of its node, each direction.")
      .key("node_link_us", &Settings::node_link_us, latencies_us(),
           "Latency between two devices of a node.")
      .key("network_gbit_s", &Settings::network_gbit_s, rates(),
           "A node's network port, each direction; its devices' transfers to other nodes share it.")
      .key("network_us", &Settings::network_us, latencies_us(),
           "Latency between two nodes of a region.")
      .key("region_links", &Settings::region_links,
           "Which regions are joined, such as \"north-south\"; all transfers between the two share "
           "the link.")
      .key("region_gbit_s", &Settings::region_gbit_s, rates(),
           "Rate of a link between regions, each direction; one for all or one a link.")
      .key("region_ms", &Settings::region_ms, latencies_ms(),
           "Latency between two nodes of different regions; one for all or one a link.")
      .key("duplex", &Settings::duplex, base::one_of({"full", "half"}),
           "Whether each direction of a link has the whole rate or both share it.");
}

Section with_transfers(Section section) {
  return std::move(section)
      .key("send", &Settings::send, base::one_of({"non_blocking", "blocking"}),
           "Whether a sender goes on at once or when the last byte has left.")
      .key("send_overhead_ms", &Settings::send_overhead_ms, between(0.0, 1e6),
           "What every send occupies its sender for, before the transfer starts.")
      .key("receive", &Settings::receive, base::one_of({"early", "late"}),
           "Whether a transfer starts when it is sent, or only when its receive has been posted "
           "too.")
      .key("overlap", &Settings::overlap, "Whether a device computes while it sends or receives.")
      .key("bucket_mib", &Settings::bucket_mib, between(0.01, 1e6),
           "With replicas, gradients are reduced in buckets of so much; with overlap, each as soon "
           "as its share of its stage's last backward is done.");
}

Section with_troubles(Section section) {
  return std::move(section)
      .key("straggler_devices", &Settings::straggler_devices, at_least(0),
           "Devices that are slow for a time; a device may be listed more than once.")
      .key("straggler_factors", &Settings::straggler_factors, between(1.0, 1e6),
           "How many times as long their computations take, one a straggler.")
      .key("straggler_from_s", &Settings::straggler_from_s, seconds(),
           "When each becomes slow; if empty, all at the start.")
      .key("straggler_until_s", &Settings::straggler_until_s, seconds(),
           "When each is fast again; if empty, never.")
      .key("jitter", &Settings::jitter, between(0.0, 2.0),
           "Standard deviation of the logarithm of a computation's time, drawn anew for each from "
           "the seed; 0: none.")
      .key("failure_mtbf_h", &Settings::failure_mtbf_h, between(0.0, 1e9),
           "Mean time between failures of one device, drawn from the seed; 0: never.")
      .key("failure_detection_s", &Settings::failure_detection_s, seconds(),
           "From a failure until it is noticed.")
      .key("failure_restart_s", &Settings::failure_restart_s, seconds(),
           "From there until the run goes on, the loading of the checkpoint not included.")
      .key("disk_gbit_s", &Settings::disk_gbit_s, rates(),
           "A node's disk, for checkpoints and activation caches.");
}

Section with_real(Section section) {
  return std::move(section)
      .key("device", &Settings::real_device, base::one_of({"cpu", "cuda"}),
           "What a real run computes on; only cpu is there yet.")
      .key("link", &Settings::real_link, base::one_of({"local", "gloo", "nccl"}),
           "How the ranks of a real run exchange tensors; only local, threads of one process, is "
           "there yet.");
}

}  // namespace

const DeviceKind& ClusterSettings::kind(int device) const {
  assert(given());
  return find_device(one_or_each(devices, static_cast<std::size_t>(device)));
}

double ClusterSettings::sustained_flop_s(int device) const {
  const DeviceKind& own = kind(device);
  return efficiency > 0 ? own.peak_flop_s * efficiency : own.sustained_flop_s();
}

base::Bytes ClusterSettings::memory(int device) const {
  if (memory_gib == 0) return kind(device).memory;
  return {std::llround(std::ldexp(memory_gib, 30))};
}

std::string ClusterSettings::region(int node) const {
  return regions.empty() ? "" : one_or_each(regions, static_cast<std::size_t>(node));
}

const Section& cluster_section() {
  static const Section kSection = with_real(with_troubles(with_transfers(with_links(with_devices(
      Section("cluster", "The simulated devices and what joins them; and what real runs use."))))));
  return kSection;
}

}  // namespace frostline::cost
