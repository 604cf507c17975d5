#include "cost/analytic.h"

#include <algorithm>
#include <cassert>
#include <map>
#include <string>

namespace frostline::cost {
namespace {

using models::LayerDescription;
using models::ModelDescription;

constexpr double kNsPerS = 1e9;
constexpr int kDescribedBytes = 4;  // descriptions count numbers of 4 bytes
constexpr int kSumBytes = 4;        // of a number in a gradient's sum

/// Adam reads the gradient's sum, the weight in 4 bytes and two moments, and writes the latter
/// three; and the weight as it computes, if that is shorter (the 12 bytes of state of Rajbhandari
/// et al., "ZeRO", SC 2020, section 3.1, each read and written).
double adam_bytes(int element_bytes) { return 4 + 12 + 12 + (element_bytes < 4 ? 2 : 0); }

class Roofline {
 public:
  Roofline(const ClusterSettings& cluster, int device)
      : flop_s_(cluster.sustained_flop_s(device)), bytes_s_(cluster.kind(device).memory_bytes_s) {}

  double ns(double flops, double bytes) const {
    return std::max(flops / flop_s_, bytes / bytes_s_) * kNsPerS;
  }

 private:
  double flop_s_;
  double bytes_s_;
};

base::Bytes scaled(base::Bytes described, std::int64_t samples, int element_bytes) {
  return {described.count * samples / kDescribedBytes * element_bytes};
}

double whole_ns(const ModelDescription& model, std::int64_t samples, const ClusterSettings& cluster,
                int device) {
  double sum = 0;
  for (const LayerDescription& layer : model.layers) {
    const LayerCost cost = analytic_layer(layer, samples, cluster, device);
    sum += cost.forward_ns + cost.input_gradient_ns + cost.weight_gradient_ns;
  }
  return sum;
}

/// How long the whole model takes on each kind of device.
class KindTimes {
 public:
  KindTimes(const ModelDescription& model, const ClusterSettings& cluster, std::int64_t samples)
      : model_(model), cluster_(cluster), samples_(samples) {}

  double ns(int device) {
    const std::string& kind = cluster_.kind(device).name;
    const auto known = times_.find(kind);
    if (known != times_.end()) return known->second;
    return times_[kind] = whole_ns(model_, samples_, cluster_, device);
  }

 private:
  const ModelDescription& model_;
  const ClusterSettings& cluster_;
  std::int64_t samples_;
  std::map<std::string, double> times_;
};

}  // namespace

int element_bytes(const DeviceKind& kind) { return kind.precision == "fp32" ? 4 : 2; }

LayerTraffic layer_traffic(const LayerDescription& layer, std::int64_t samples, int element_bytes) {
  const auto count = static_cast<double>(samples) / kDescribedBytes * element_bytes;
  const auto parameters = static_cast<double>(layer.parameters());
  const double weights = layer.forward_flops > 0 ? parameters * element_bytes : 0;
  const double kept = static_cast<double>(layer.activation.count) * count;
  const double output = static_cast<double>(layer.output.count) * count;
  LayerTraffic traffic;
  traffic.forward = weights + kept + output;
  if (layer.input_gradient_flops > 0) traffic.input_gradient = weights + kept + 2 * output;
  const double sum = layer.weight_gradient_flops > 0 ? 2 * parameters * kSumBytes : output;
  if (parameters > 0) traffic.weight_gradient = kept + output + sum;
  traffic.optimizer = parameters * adam_bytes(element_bytes);
  return traffic;
}

LayerCost analytic_layer(const LayerDescription& layer, std::int64_t samples,
                         const ClusterSettings& cluster, int device) {
  const int bytes = element_bytes(cluster.kind(device));
  const LayerTraffic traffic = layer_traffic(layer, samples, bytes);
  const Roofline roofline(cluster, device);
  const auto count = static_cast<double>(samples);
  LayerCost cost;
  cost.forward_ns = roofline.ns(layer.forward_flops * count, traffic.forward);
  cost.forward_below_ns = cost.forward_ns;
  cost.input_gradient_ns = roofline.ns(layer.input_gradient_flops * count, traffic.input_gradient);
  cost.weight_gradient_ns =
      roofline.ns(layer.weight_gradient_flops * count, traffic.weight_gradient);
  cost.frozen_backward_ns = cost.input_gradient_ns;
  cost.optimizer_ns = roofline.ns(0, traffic.optimizer);
  cost.activation = scaled(layer.activation, samples, bytes);
  cost.activation_after_input_gradient = cost.activation;
  cost.output = scaled(layer.output, samples, bytes);
  return cost;
}

ModelCost analytic_cost(const ModelDescription& model, const ClusterSettings& cluster,
                        const pipeline::PipelineSettings& pipeline, std::int64_t samples) {
  assert(cluster.given() && !model.layers.empty() && samples > 0);
  ModelCost cost;
  for (const LayerDescription& layer : model.layers) {
    cost.layers.push_back(analytic_layer(layer, samples, cluster, 0));
  }
  if (cluster.devices.size() == 1) return cost;
  KindTimes times(model, cluster, samples);
  const auto ranks = static_cast<int>(pipeline.ranks);
  for (int rank = 0; rank < ranks; ++rank) {
    double slowest = 0;
    for (int replica = 0; replica < pipeline.replicas; ++replica) {
      slowest = std::max(slowest, times.ns(replica * ranks + rank));
    }
    cost.rank_speed.push_back(times.ns(0) / slowest);
  }
  return cost;
}

}  // namespace frostline::cost
