#pragma once

#include <cstdint>
#include <filesystem>
#include <map>

#include "pipeline/freeze_mask.h"

namespace frostline::policy {

/// What a run's log says of its masks.
struct RecordedMasks {
  pipeline::FreezeMask start;
  std::map<std::int64_t, pipeline::FreezeMask> decided;  ///< by the number of steps before

  /// The one in force after so many steps.
  const pipeline::FreezeMask& after(std::int64_t steps) const;
};

/// Reads a run's log, JSON objects one a line. Throws base::Error with file and line for a line
/// that is none, and for a run of another model or with other judging steps.
RecordedMasks read_recorded_masks(const std::filesystem::path& log,
                                  const pipeline::UnitTable& units, std::int64_t judging_step);

}  // namespace frostline::policy
