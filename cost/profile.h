#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

#include "cost/layer_cost.h"

namespace frostline::cost {

/// What `frostline profile` measured: the costs, and what they were measured with.
struct Profile {
  std::vector<std::string> layer_names;
  ModelCost cost;
  int micro_batch_size = 0;  ///< samples in a micro-batch
  int ranks = 0;             ///< that were busy while measuring
  int repeats = 0;           ///< a figure is the median of so many
  double spread = 0;         ///< largest (third quartile - first quartile) / median of a figure
  std::string device;        ///< "cpu"

  friend bool operator==(const Profile&, const Profile&) = default;
};

/// Throws base::Error for a missing or broken file, with what is wrong with it.
Profile read_profile(const std::filesystem::path& file);
void write_profile(const std::filesystem::path& file, const Profile& profile);

/// The profile's costs for a model of these layers. Throws base::Error if the layers are others.
ModelCost profile_cost(const Profile& profile, const std::vector<std::string>& layer_names,
                       const std::filesystem::path& file);

}  // namespace frostline::cost
