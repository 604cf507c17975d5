#pragma once

#include <cstdint>
#include <vector>

#include "pipeline/freeze_mask.h"

namespace frostline::policy {

/// The `size` unfrozen units next to the frost line, in forward order; fewer near the head, which
/// is never in it.
std::vector<pipeline::UnitId> window(const pipeline::UnitTable& units,
                                     const pipeline::FreezeMask& mask, std::int64_t size);

/// All units that are not frozen, the head's included, in forward order.
std::vector<pipeline::UnitId> unfrozen(const pipeline::FreezeMask& mask);

}  // namespace frostline::policy
