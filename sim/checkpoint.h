#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

#include "base/time.h"
#include "pipeline/units.h"

namespace frostline::sim {

/// What an event world needs to go on: nothing is learned, so it holds no tensors.
struct EventCheckpoint {
  std::string loop_state;
  std::int64_t steps_done = 0;
  base::Duration clock{};  ///< virtual time of the steps done
};

/// A safetensors file with all in its metadata: kind, world, loop, steps_done, clock_ns and the model's
/// units.
void write_checkpoint(const std::filesystem::path& file, const pipeline::UnitTable& units,
                      const EventCheckpoint& checkpoint);

/// Throws base::Error for a file that is no checkpoint, of another world or of another model.
EventCheckpoint read_checkpoint(const std::filesystem::path& file,
                                const pipeline::UnitTable& units);

}  // namespace frostline::sim
