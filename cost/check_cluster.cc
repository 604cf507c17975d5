#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <sstream>

#include "base/join.h"
#include "base/nearest.h"
#include "cost/cluster_settings.h"

namespace frostline::cost {
namespace {

using base::Document;
using pipeline::PipelineSettings;
using RegionPair = std::pair<std::string, std::string>;

constexpr std::int64_t kMostDevices = 1 << 20;

/// "key = value", one a key, in the table's order.
base::Words lines_of(const ClusterSettings& settings) {
  std::istringstream text(cluster_section().to_toml(settings));
  base::Words lines;
  std::string line;
  std::getline(text, line);  // [cluster]
  while (std::getline(text, line)) lines.push_back(line);
  return lines;
}

/// A key that stands at its default has no effect: a scenario with every key written out is sound.
void refuse_keys_without_devices(Document& document, const ClusterSettings& settings) {
  ClusterSettings unused;
  unused.real_device = settings.real_device;
  unused.real_link = settings.real_link;
  const base::Words defaults = lines_of(unused);
  const base::Words lines = lines_of(settings);
  for (std::size_t i = 0; i < lines.size(); ++i) {
    if (lines[i] == defaults[i]) continue;
    const std::string key = "cluster." + cluster_section().info().keys[i].name;
    document.problem(key, fmt::format("{} has no effect without cluster.devices; add devices, such "
                                      "as devices = \"a100\", or remove it",
                                      key));
  }
}

void check_real(Document& document, const ClusterSettings& settings) {
  const auto refuse = [&](const char* key, const std::string& value, const std::string& there) {
    if (value == there) return;
    document.problem(key,
                     fmt::format("{} = \"{}\" is not there yet; use \"{}\"", key, value, there));
  };
  refuse("cluster.device", settings.real_device, "cpu");
  refuse("cluster.link", settings.real_link, "local");
}

std::string sizes_text(const PipelineSettings& pipeline) {
  const std::string ranks = fmt::format("pipeline.ranks = {}", pipeline.ranks);
  if (pipeline.replicas == 1) return ranks;
  return fmt::format("{} and pipeline.replicas = {}", ranks, pipeline.replicas);
}

std::string values_text(std::size_t count) {
  return count == 1 ? "1 value" : fmt::format("{} values", count);
}

/// Notes a list that has neither one value nor `count`.
template <class Value>
bool check_one_or_each(Document& document, const std::string& name, const std::vector<Value>& list,
                       std::int64_t count, const std::string& each) {
  if (std::ssize(list) == 1 || std::ssize(list) == count) return true;
  const std::string lengths =
      count <= 1 ? "1" : fmt::format("1 (for all) or {} (one {})", count, each);
  document.problem(name,
                   fmt::format("{} has {}; give {}", name, values_text(list.size()), lengths));
  return false;
}

/// Which regions each device stands in, and which of them are joined.
class Map {
 public:
  Map(const ClusterSettings& settings, const PipelineSettings& pipeline)
      : settings_(settings), pipeline_(pipeline) {
    for (const std::string& link : settings.region_links) {
      auto [a, b] = joined_regions(link, settings.regions);
      joined_.insert(ordered(a, b));
    }
  }

  /// Each pair of regions that some transfer crosses without a link, with one such transfer.
  void report(Document& document) {
    const int ranks = static_cast<int>(pipeline_.ranks);
    const int replicas = static_cast<int>(pipeline_.replicas);
    for (int replica = 0; replica < replicas; ++replica) {
      for (int rank = 0; rank < ranks; ++rank) {
        const int device = replica * ranks + rank;
        if (rank + 1 < ranks) cross(document, device, device + 1);
        if (replicas > 1) cross(document, device, (replica + 1) % replicas * ranks + rank);
      }
      // Of schedules with several chunks some go on from the last rank to the first.
      const bool loops = pipeline_.chunks > 1 && !folds();
      if (loops) cross(document, replica * ranks + ranks - 1, replica * ranks);
    }
  }

 private:
  static RegionPair ordered(const std::string& a, const std::string& b) {
    return {std::min(a, b), std::max(a, b)};
  }

  /// A schedule in the shape of a V comes back to rank 0 the way it went.
  bool folds() const { return pipeline_.schedule.text.ends_with("_v"); }

  void cross(Document& document, int from, int to) {
    const std::string a = settings_.region(settings_.node(from));
    const std::string b = settings_.region(settings_.node(to));
    if (a == b || !joined_.insert(ordered(a, b)).second) return;
    document.problem(
        "cluster.region_links",
        fmt::format("cluster.region_links joins \"{0}\" and \"{1}\" by no link, and device {2} "
                    "(\"{0}\") sends to device {3} (\"{1}\"); add \"{0}-{1}\"",
                    a, b, from, to));
  }

  const ClusterSettings& settings_;
  const PipelineSettings& pipeline_;
  std::set<RegionPair> joined_;
};

bool check_link(Document& document, const std::string& link, const base::Words& regions,
                std::set<RegionPair>& seen) {
  const auto [a, b] = joined_regions(link, regions);
  const bool known = !a.empty() && a != b;
  if (known && seen.insert({std::min(a, b), std::max(a, b)}).second) return true;
  const std::string key = "cluster.region_links";
  if (known) {
    document.problem(key, fmt::format("{} joins \"{}\" and \"{}\" twice; remove one", key, a, b));
    return false;
  }
  const std::set<std::string> names(regions.begin(), regions.end());
  const base::Words all(names.begin(), names.end());
  document.problem(key,
                   fmt::format("{}: \"{}\" does not name two regions; write two of {} with '-' "
                               "between them",
                               key, link, all.empty() ? "cluster.regions" : base::join(all)));
  return false;
}

bool check_links(Document& document, const ClusterSettings& settings) {
  std::set<RegionPair> seen;
  bool sound = true;
  for (const std::string& link : settings.region_links) {
    sound = check_link(document, link, settings.regions, seen) && sound;
  }
  const std::int64_t count = std::ssize(settings.region_links);
  check_one_or_each(document, "cluster.region_gbit_s", settings.region_gbit_s, count, "a link");
  check_one_or_each(document, "cluster.region_ms", settings.region_ms, count, "a link");
  return sound;
}

void check_places(Document& document, const ClusterSettings& settings,
                  const PipelineSettings& pipeline) {
  const std::int64_t devices = pipeline.ranks * pipeline.replicas;
  const std::int64_t nodes = (devices - 1) / settings.devices_per_node + 1;
  const bool placed =
      settings.regions.empty() ||
      check_one_or_each(document, "cluster.regions", settings.regions, nodes,
                        fmt::format("a node of {} devices", settings.devices_per_node));
  const bool linked = check_links(document, settings);
  if (placed && linked) Map(settings, pipeline).report(document);
}

bool check_straggler_lengths(Document& document, const ClusterSettings& settings) {
  const std::size_t count = settings.straggler_devices.size();
  bool sound = true;
  const auto check = [&](const std::string& key, std::size_t length, bool optional) {
    if (length == count || (optional && length == 0)) return;
    sound = false;
    document.problem(key, fmt::format("{} has {} with {} in cluster.straggler_devices; give "
                                      "one a straggler",
                                      key, values_text(length), count));
  };
  check("cluster.straggler_factors", settings.straggler_factors.size(), false);
  check("cluster.straggler_from_s", settings.straggler_from_s.size(), true);
  check("cluster.straggler_until_s", settings.straggler_until_s.size(), true);
  return sound;
}

void check_straggler_device(Document& document, std::int64_t device,
                            const PipelineSettings& pipeline) {
  const std::int64_t devices = pipeline.ranks * pipeline.replicas;
  if (device < devices) return;
  const std::string allowed =
      devices == 1 ? "0, the only device" : fmt::format("0 to {}", devices - 1);
  document.problem("cluster.straggler_devices",
                   fmt::format("cluster.straggler_devices names device {} with {}; use {}", device,
                               sizes_text(pipeline), allowed));
}

void check_straggler_times(Document& document, const ClusterSettings& settings, std::size_t index) {
  if (settings.straggler_until_s.empty()) return;
  const double from = settings.straggler_from_s.empty() ? 0.0 : settings.straggler_from_s.at(index);
  const double until = settings.straggler_until_s.at(index);
  if (from < until) return;
  document.problem("cluster.straggler_until_s",
                   fmt::format("cluster.straggler_until_s: element {} = {} is not after its "
                               "cluster.straggler_from_s = {}; use a later time",
                               index + 1, until, from));
}

void check_stragglers(Document& document, const ClusterSettings& settings,
                      const PipelineSettings& pipeline) {
  for (const std::int64_t device : settings.straggler_devices) {
    check_straggler_device(document, device, pipeline);
  }
  if (!check_straggler_lengths(document, settings)) return;
  for (std::size_t i = 0; i < settings.straggler_devices.size(); ++i) {
    check_straggler_times(document, settings, i);
  }
}

/// Times of failures that never come.
void check_failures(Document& document, const ClusterSettings& settings) {
  if (settings.failure_mtbf_h > 0) return;
  const ClusterSettings defaults;
  const auto refuse = [&](const char* key, double value, double fallback) {
    if (value == fallback) return;
    document.problem(key, fmt::format("{} has no effect with cluster.failure_mtbf_h = 0, never; "
                                      "give a mean time between failures, or remove it",
                                      key));
  };
  refuse("cluster.failure_detection_s", settings.failure_detection_s, defaults.failure_detection_s);
  refuse("cluster.failure_restart_s", settings.failure_restart_s, defaults.failure_restart_s);
}

void check_buckets(Document& document, const ClusterSettings& settings,
                   const PipelineSettings& pipeline) {
  if (pipeline.replicas > 1 || settings.bucket_mib == ClusterSettings().bucket_mib) return;
  document.problem("cluster.bucket_mib",
                   "cluster.bucket_mib has no effect with pipeline.replicas = 1, which reduces no "
                   "gradients; remove it, or use more replicas");
}

bool check_size(Document& document, const PipelineSettings& pipeline) {
  if (pipeline.ranks <= kMostDevices / pipeline.replicas) return true;
  document.problem("pipeline.replicas",
                   fmt::format("{} are too many devices for a simulated cluster; ranks x replicas "
                               "is at most {}",
                               sizes_text(pipeline), kMostDevices));
  return false;
}

}  // namespace

RegionPair joined_regions(const std::string& link, const base::Words& regions) {
  const auto known = [&](const std::string& name) {
    return std::find(regions.begin(), regions.end(), name) != regions.end();
  };
  std::vector<RegionPair> pairs;
  for (std::size_t at = link.find('-'); at != std::string::npos; at = link.find('-', at + 1)) {
    RegionPair pair{link.substr(0, at), link.substr(at + 1)};
    if (known(pair.first) && known(pair.second)) pairs.push_back(std::move(pair));
  }
  return pairs.size() == 1 ? pairs.front() : RegionPair{};
}

void check_cluster(Document& document, const ClusterSettings& settings,
                   const PipelineSettings& pipeline) {
  check_real(document, settings);
  if (!settings.given()) return refuse_keys_without_devices(document, settings);
  if (!check_size(document, pipeline)) return;
  check_one_or_each(document, "cluster.devices", settings.devices,
                    pipeline.ranks * pipeline.replicas, "a device: ranks x replicas");
  check_places(document, settings, pipeline);
  check_stragglers(document, settings, pipeline);
  check_buckets(document, settings, pipeline);
  check_failures(document, settings);
}

}  // namespace frostline::cost
