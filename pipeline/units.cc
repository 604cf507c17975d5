#include "pipeline/units.h"

#include <algorithm>

namespace frostline::pipeline {

std::int64_t UnitTable::elements() const {
  std::int64_t sum = 0;
  for (const Unit& unit : units) sum += unit.elements;
  return sum;
}

/// A unit that is tied into the head belongs to it: freezing it would freeze a part of the head.
bool UnitTable::in_head(UnitId unit) const {
  const auto& layers = units.at(unit.index()).layers;
  return std::any_of(layers.begin(), layers.end(), [&](LayerId layer) { return layer >= head; });
}

std::vector<UnitId> UnitTable::units_of(LayerId layer) const {
  std::vector<UnitId> found;
  for (const UnitId unit : base::ids<UnitId>(size())) {
    const auto& layers = units[unit.index()].layers;
    if (std::find(layers.begin(), layers.end(), layer) != layers.end()) found.push_back(unit);
  }
  return found;
}

UnitTable UnitTable::of_layers(int layers) {
  UnitTable table;
  for (const LayerId layer : base::ids<LayerId>(layers)) {
    const std::string name = "layer." + std::to_string(layer.value);
    table.layer_names.push_back(name);
    table.units.push_back({name, {layer}, {name + ".weight"}, 1});
  }
  table.head = {layers - 1};
  return table;
}

}  // namespace frostline::pipeline
