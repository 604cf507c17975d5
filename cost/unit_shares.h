#pragma once

#include <vector>

#include "pipeline/freeze_mask.h"
#include "pipeline/units.h"

namespace frostline::cost {

/// How what a layer's learnable numbers cost is shared among its units: by elements; a tied unit's
/// are split evenly among its layers.
class UnitShares {
 public:
  explicit UnitShares(const pipeline::UnitTable& units);

  bool has_units(pipeline::LayerId layer) const { return !parts_.at(layer.index()).empty(); }
  /// The part of the layer that trains under `mask`, 0..1; exactly 1 if nothing is frozen, 0 if the
  /// layer has no units.
  double trained(pipeline::LayerId layer, const pipeline::FreezeMask& mask) const;
  bool all_frozen(pipeline::LayerId layer, const pipeline::FreezeMask& mask) const;
  bool none_frozen(pipeline::LayerId layer, const pipeline::FreezeMask& mask) const;

 private:
  struct Part {
    pipeline::UnitId unit;
    double elements;
  };
  std::vector<std::vector<Part>> parts_;  // one list a layer
};

}  // namespace frostline::cost
