#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "pipeline/action.h"

namespace frostline::pipeline {

/// What freezes as one: a layer, or one learnable tensor; tied tensors are one unit in several
/// layers.
struct Unit {
  std::string name;                  ///< "blocks.3", "blocks.3.mlp.weight"
  std::vector<LayerId> layers;       ///< in forward order; more than one if tied
  std::vector<std::string> tensors;  ///< the global names of its learnable tensors
  std::int64_t elements = 0;         ///< learnable numbers in it

  friend bool operator==(const Unit&, const Unit&) = default;
};

/// The units of a model in forward order. Every layer below `head` belongs to the body; units of
/// the head are never in the window.
struct UnitTable {
  std::vector<std::string> layer_names;  ///< one a layer, in forward order
  std::vector<Unit> units;
  LayerId head;  ///< the first layer of the head: it and all after it are never judged

  int layers() const { return static_cast<int>(layer_names.size()); }
  int size() const { return static_cast<int>(units.size()); }
  std::int64_t elements() const;
  bool in_head(UnitId unit) const;
  /// The units that have a tensor in the layer.
  std::vector<UnitId> units_of(LayerId layer) const;

  /// A table with one unit of one tensor a layer, for pipelines without a model: "layer.0", ...;
  /// the head is the last.
  static UnitTable of_layers(int layers);
  friend bool operator==(const UnitTable&, const UnitTable&) = default;
};

}  // namespace frostline::pipeline
