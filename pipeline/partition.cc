#include "pipeline/partition.h"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>

#include "base/error.h"

namespace frostline::pipeline {

Partition::Partition(std::vector<int> layers_per_stage) : first_layer_{0} {
  for (std::size_t stage = 0; stage < layers_per_stage.size(); ++stage) {
    const int layers = layers_per_stage[stage];
    if (layers < 1) {
      throw base::Error(fmt::format(
          "stage {} of a partition has {} layers; give every stage at least 1", stage, layers));
    }
    first_layer_.push_back(first_layer_.back() + layers);
  }
}

Partition Partition::even(int layers, int stages) {
  if (stages < 1) {
    throw base::Error(
        fmt::format("a partition into {} stages is impossible; use at least 1", stages));
  }
  if (layers < stages) {
    throw base::Error(
        fmt::format("{} stages do not fit {} layers; use at most {}", stages, layers, layers));
  }
  std::vector<int> counts(static_cast<std::size_t>(stages), layers / stages);
  for (int stage = 0; stage < layers % stages; ++stage) ++counts[static_cast<std::size_t>(stage)];
  return Partition(std::move(counts));
}

StageId Partition::stage_of(LayerId layer) const {
  assert(layer.value >= 0 && layer.value < layers());
  const auto after = std::upper_bound(first_layer_.begin(), first_layer_.end(), layer.value);
  return {static_cast<int>(after - first_layer_.begin()) - 1};
}

std::string Partition::text() const {
  std::string text;
  for (const StageId stage : base::ids<StageId>(stages())) {
    if (!text.empty()) text += "+";
    text += std::to_string(end(stage).value - first(stage).value);
  }
  return text;
}

}  // namespace frostline::pipeline
