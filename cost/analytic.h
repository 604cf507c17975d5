#pragma once

#include <cstdint>

#include "cost/cluster_settings.h"
#include "cost/layer_cost.h"
#include "models/layer_description.h"

namespace frostline::cost {

/// What a layer's passes move between a device and its memory for one micro-batch, in bytes. Where
/// a pass has FLOPs it reads the layer's weights; a look-up reads what it returns.
struct LayerTraffic {
  double forward = 0;          ///< weights, what is kept, output
  double input_gradient = 0;   ///< weights, what is kept, output's and input's gradient
  double weight_gradient = 0;  ///< what is kept, output's gradient, the sum read and written
  double optimizer = 0;        ///< Adam's, once a step
};

/// `element_bytes` is of a weight, an activation, a message: 2 or 4. Gradients are summed in 4.
LayerTraffic layer_traffic(const models::LayerDescription& layer, std::int64_t samples,
                           int element_bytes);

/// Bytes of a weight or an activation on such a device: 4 for "fp32", else 2.
int element_bytes(const DeviceKind& kind);

/// One layer's cost for a micro-batch of `samples` samples on a device of the cluster. A pass takes
/// the longer of its FLOPs at the device's sustained rate and its traffic at its memory's bandwidth
/// (the roofline of Williams, Waterman, Patterson, CACM 52(4), 2009). All that is kept for I is
/// kept for W too, but for a few numbers a token: the inputs of the linear maps and the gradients
/// of their outputs (Qi et al., arXiv 2401.10241, table 1: 32 of 34 bytes).
LayerCost analytic_layer(const models::LayerDescription& layer, std::int64_t samples,
                         const ClusterSettings& cluster, int device);

/// `source = "analytic"`: the layers' times on device 0. The other ranks' speeds are the ratios of
/// the whole model's time for a micro-batch there; with replicas the slowest of a rank's devices
/// counts. Settings that check_cluster and check_analytic passed (asserted where cheap).
ModelCost analytic_cost(const models::ModelDescription& model, const ClusterSettings& cluster,
                        const pipeline::PipelineSettings& pipeline, std::int64_t samples);

/// Notes as problems: no model, no devices, more samples in a step than whose bytes can be counted.
/// `model` without layers if the scenario has none; `batch` are a step's samples.
void check_analytic(base::Document& document, const models::ModelDescription& model,
                    const ClusterSettings& cluster, std::int64_t batch);

}  // namespace frostline::cost
