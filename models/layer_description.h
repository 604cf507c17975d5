#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/bytes.h"
#include "pipeline/units.h"

namespace frostline::models {

/// A learnable tensor by its global name: "blocks.3.mlp.up.weight".
struct TensorDescription {
  std::string name;
  std::vector<std::int64_t> shape;

  std::int64_t elements() const;
};

/// What the simulator needs to know of a layer. FLOPs (a multiply-add counts as 2; only matrix
/// products are counted, as usual) and bytes are for one sample in float32.
struct LayerDescription {
  std::string name;  ///< "embedding", "blocks.3", "head"
  std::string kind;  ///< layers of one kind and size cost the same: "embedding", "block", "head"
  std::vector<TensorDescription> tensors;
  double forward_flops = 0;
  double input_gradient_flops = 0;
  double weight_gradient_flops = 0;
  base::Bytes activation;  ///< saved by the forward for the backward, the layer's input included
  base::Bytes output;      ///< handed to the next layer

  std::int64_t parameters() const;
};

/// A model as a chain of layers; models/torch builds the modules that it describes from the same
/// settings, and a test compares the two.
struct ModelDescription {
  std::string kind;
  std::vector<LayerDescription> layers;
  int head_layers = 1;                         ///< trailing layers that are never judged
  std::vector<std::vector<std::string>> tied;  ///< groups of tensor names that share their memory

  std::int64_t parameters() const;  ///< tied ones once
};

enum class UnitKind { kLayer, kTensor };

/// What freezes as one, in forward order. Tied tensors are one unit, named after the first of them
/// and standing where that one stands; with layers as units, the layer's unit is what is left of
/// it.
pipeline::UnitTable unit_table(const ModelDescription& model, UnitKind kind);

}  // namespace frostline::models
