#include "cost/step_fits.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.h"
#include "cost/topology.h"

namespace frostline::cost {
namespace {

constexpr double kLongestStepNs = 4e18;  // 126 years; the clock ends after 292

double slowest_micro_batch_ns(const ModelCost& cost, int ranks) {
  double sum = 0;
  for (const LayerCost& layer : cost.layers) {
    sum += layer.forward_ns * (cost.recompute ? 2 : 1) + layer.input_gradient_ns +
           layer.weight_gradient_ns + layer.frozen_backward_ns + layer.optimizer_ns;
  }
  double slowness = 1;
  for (const auto rank : base::ids<base::Rank>(ranks)) {
    slowness = std::max(slowness, cost.slowness(rank));
  }
  return sum * slowness;
}

double longest_transfer_ns(const ModelCost& cost) {
  if (cost.topology == nullptr) return cost.send_ns;
  double bytes = 0;
  for (const LayerCost& layer : cost.layers) {
    bytes = std::max(bytes, static_cast<double>(layer.output.count));
  }
  double rate = 1e18;
  for (const NetworkLink& link : cost.topology->links) {
    rate = std::min(rate, static_cast<double>(link.bytes_per_s));
  }
  double latency = static_cast<double>(
      std::max(cost.topology->node_latency, cost.topology->network_latency).count());
  for (const auto& [regions, link] : cost.topology->region_links) {
    latency = std::max(latency, static_cast<double>(link.latency.count()));
  }
  return cost.send_ns + latency + bytes / rate * 1e9;
}

}  // namespace

void check_step_fits(const ModelCost& cost, const pipeline::PipelineShape& shape) {
  const double batch_ns =
      slowest_micro_batch_ns(cost, shape.ranks) + 2.0 * shape.stages() * longest_transfer_ns(cost);
  if (batch_ns * shape.micro_batches < kLongestStepNs) return;
  throw base::Error(fmt::format(
      "a micro-batch takes up to {:g} s with its transfers, and a step of pipeline.micro_batches = "
      "{} of them more than {:g} s (126 years); use smaller times, a smaller model or faster links",
      batch_ns / 1e9, shape.micro_batches, kLongestStepNs / 1e9));
}

}  // namespace frostline::cost
