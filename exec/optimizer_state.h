#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/safetensors.h"
#include "exec/parameter.h"

namespace frostline::exec {

/// What an optimizer remembers of each parameter of a rank. A parameter's tensors are made at its
/// first step and kept while it is frozen.
class OptimizerState {
 public:
  struct Kind {
    std::string name;         ///< "first_moment"
    bool is_counter = false;  ///< one number, instead of one an element
  };
  OptimizerState(const Parameters& parameters, std::vector<Kind> kinds);

  bool has(std::size_t parameter) const { return !entries_[parameter].empty(); }
  /// One tensor a kind, zeros at first.
  std::vector<at::Tensor>& of(std::size_t parameter);

  std::int64_t bytes() const;
  /// Every tensor under its global name, "optimizer.first_moment.blocks.3.mlp.up.weight".
  void visit(const std::function<void(const std::string& name, const at::Tensor&)>& visitor) const;
  /// Sets a tensor that `visit` named. Returns false if the name is not one of this optimizer's and
  /// these parameters'; throws base::Error for another shape.
  bool restore(const std::string& name, const base::TensorBlob& value);

 private:
  struct Place {
    std::size_t parameter;
    std::size_t kind;
  };
  std::string name_of(Place place) const;
  std::optional<Place> find(const std::string& name) const;

  const Parameters& parameters_;
  std::vector<Kind> kinds_;
  std::vector<std::vector<at::Tensor>> entries_;  // one a parameter, empty before its first step
};

}  // namespace frostline::exec
