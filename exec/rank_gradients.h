#pragma once

#include <map>
#include <span>
#include <vector>

#include "exec/gradient_reader.h"
#include "exec/parameter.h"

namespace frostline::exec {

/// What is read of one rank's gradients after accumulation and before clipping. Every entry that it
/// writes into a span belongs to this rank alone, so ranks share the spans without a lock.
class RankGradients {
 public:
  explicit RankGradients(const Parameters& parameters) : parameters_(parameters) {}

  /// Drops the gradients of the last step: undefined, not zero.
  void drop();
  /// Reads every gradient once; the three below speak of what was read.
  void read();
  /// A sample for each of `units` that the rank holds, at its index.
  void write_samples(std::span<const pipeline::UnitId> units,
                     std::span<policy::GradientSample> samples) const;
  /// Sum of squares of each layer of the rank, at the layer's index in the model.
  void write_squares(std::span<double> layers) const;

  /// Multiplies every gradient, in place.
  void scale(double factor);

  /// Adds the gradients of the ordered units to their running sums, made at the first call.
  void add_to_running_sums(std::span<const pipeline::UnitId> units);
  /// Squared norm of the running sum of each of `units` that the rank holds, at its index.
  void write_squared_norms_of_sums(std::span<const pipeline::UnitId> units,
                                   std::span<double> squared_norms) const;
  void release_running_sums() { running_sums_.clear(); }

  /// Running sums by the parameter's global name, for checkpoints.
  const std::map<std::string, at::Tensor>& running_sums() const { return running_sums_; }
  void restore_running_sum(const std::string& parameter, at::Tensor sum);

  std::int64_t bytes() const;

 private:
  bool holds(pipeline::UnitId unit) const;

  const Parameters& parameters_;
  std::vector<GradientSums> sums_;  // one a parameter
  std::map<std::string, at::Tensor> running_sums_;
};

}  // namespace frostline::exec
