#pragma once

#include <string>
#include <vector>

#include "pipeline/action.h"

namespace frostline::pipeline {

/// Which contiguous layers each stage holds. A value.
class Partition {
 public:
  Partition() = default;
  /// Layers of each stage, in model order. Throws base::Error unless each is at least 1.
  explicit Partition(std::vector<int> layers_per_stage);
  /// Counts as even as possible, the larger ones first. Throws base::Error if there are fewer
  /// layers than stages.
  static Partition even(int layers, int stages);

  int stages() const {
    return first_layer_.empty() ? 0 : static_cast<int>(first_layer_.size()) - 1;
  }
  int layers() const { return first_layer_.empty() ? 0 : first_layer_.back(); }
  LayerId first(StageId stage) const { return {first_layer_.at(stage.index())}; }
  /// One past the last.
  LayerId end(StageId stage) const { return {first_layer_.at(stage.index() + 1)}; }
  base::IdRange<LayerId> layers_of(StageId stage) const {
    return {first(stage).value, end(stage).value};
  }
  /// `layer` must be one of the partition's.
  StageId stage_of(LayerId layer) const;

  std::string text() const;  ///< "4+4"
  friend bool operator==(const Partition&, const Partition&) = default;

 private:
  std::vector<int> first_layer_;  // stages + 1 entries
};

}  // namespace frostline::pipeline
