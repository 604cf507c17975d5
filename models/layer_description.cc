#include "models/layer_description.h"

#include <cassert>
#include <map>
#include <optional>

namespace frostline::models {
namespace {

/// Collects units while walking the layers in forward order.
class UnitCollector {
 public:
  UnitCollector(const ModelDescription& model, UnitKind kind) : kind_(kind) {
    for (std::size_t group = 0; group < model.tied.size(); ++group) {
      for (const std::string& tensor : model.tied[group]) group_of_[tensor] = group;
    }
    places_of_groups_.resize(model.tied.size());
    table_.head = {static_cast<int>(model.layers.size()) - model.head_layers};
  }

  void add(const LayerDescription& layer) {
    const base::LayerId id{table_.layers()};
    table_.layer_names.push_back(layer.name);
    std::optional<std::size_t> own;  // place of the layer's unit
    for (const TensorDescription& tensor : layer.tensors) {
      const auto group = group_of_.find(tensor.name);
      if (group != group_of_.end()) {
        add_tied(places_of_groups_[group->second], id, tensor);
      } else if (kind_ == UnitKind::kTensor) {
        std::optional<std::size_t> alone;
        add_to(alone, tensor.name, id, tensor);
      } else {
        add_to(own, layer.name, id, tensor);
      }
    }
  }

  pipeline::UnitTable take() { return std::move(table_); }

 private:
  /// Adds a tensor to the unit at `place`, which starts where there is none yet.
  void add_to(std::optional<std::size_t>& place, const std::string& name, base::LayerId layer,
              const TensorDescription& tensor) {
    if (!place) {
      place = table_.units.size();
      table_.units.push_back({name, {layer}, {}, 0});
    }
    pipeline::Unit& unit = table_.units[*place];
    unit.tensors.push_back(tensor.name);
    unit.elements += tensor.elements();
  }

  /// The second and later ones of a group share the memory of the first.
  void add_tied(std::optional<std::size_t>& place, base::LayerId layer,
                const TensorDescription& tensor) {
    if (!place) return add_to(place, tensor.name, layer, tensor);
    pipeline::Unit& unit = table_.units[*place];
    assert(unit.elements == tensor.elements());
    if (unit.layers.back() != layer) unit.layers.push_back(layer);
    unit.tensors.push_back(tensor.name);
  }

  UnitKind kind_;
  std::map<std::string, std::size_t> group_of_;
  std::vector<std::optional<std::size_t>> places_of_groups_;
  pipeline::UnitTable table_;
};

}  // namespace

std::int64_t TensorDescription::elements() const {
  std::int64_t product = 1;
  for (const std::int64_t size : shape) product *= size;
  return product;
}

std::int64_t LayerDescription::parameters() const {
  std::int64_t sum = 0;
  for (const TensorDescription& tensor : tensors) sum += tensor.elements();
  return sum;
}

std::int64_t ModelDescription::parameters() const {
  return unit_table(*this, UnitKind::kTensor).elements();
}

pipeline::UnitTable unit_table(const ModelDescription& model, UnitKind kind) {
  UnitCollector collector(model, kind);
  for (const LayerDescription& layer : model.layers) collector.add(layer);
  return collector.take();
}

}  // namespace frostline::models
