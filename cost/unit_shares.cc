#include "cost/unit_shares.h"

#include <algorithm>
#include <cassert>

namespace frostline::cost {

using pipeline::FreezeMask;
using pipeline::LayerId;
using pipeline::UnitId;

UnitShares::UnitShares(const pipeline::UnitTable& units)
    : parts_(static_cast<std::size_t>(units.layers())) {
  for (const UnitId id : base::ids<UnitId>(units.size())) {
    const pipeline::Unit& unit = units.units[id.index()];
    assert(unit.elements > 0);
    const double elements =
        static_cast<double>(unit.elements) / static_cast<double>(unit.layers.size());
    for (const LayerId layer : unit.layers) parts_.at(layer.index()).push_back({id, elements});
  }
}

double UnitShares::trained(LayerId layer, const FreezeMask& mask) const {
  double all = 0;
  double trained = 0;
  for (const Part& part : parts_.at(layer.index())) {
    all += part.elements;
    if (!mask.frozen(part.unit)) trained += part.elements;
  }
  return all > 0 ? trained / all : 0;
}

bool UnitShares::all_frozen(LayerId layer, const FreezeMask& mask) const {
  const auto& parts = parts_.at(layer.index());
  return std::all_of(parts.begin(), parts.end(),
                     [&](const Part& p) { return mask.frozen(p.unit); });
}

bool UnitShares::none_frozen(LayerId layer, const FreezeMask& mask) const {
  const auto& parts = parts_.at(layer.index());
  return std::none_of(parts.begin(), parts.end(),
                      [&](const Part& p) { return mask.frozen(p.unit); });
}

}  // namespace frostline::cost
