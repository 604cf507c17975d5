#include "policy/window.h"

#include <cassert>

namespace frostline::policy {

using pipeline::UnitId;

std::vector<UnitId> window(const pipeline::UnitTable& units, const pipeline::FreezeMask& mask,
                           std::int64_t size) {
  assert(mask.size() == units.size());
  std::vector<UnitId> chosen;
  for (const UnitId unit : base::ids<UnitId>(units.size())) {
    if (std::ssize(chosen) == size) break;
    if (!mask.frozen(unit) && !units.in_head(unit)) chosen.push_back(unit);
  }
  return chosen;
}

std::vector<UnitId> unfrozen(const pipeline::FreezeMask& mask) {
  std::vector<UnitId> chosen;
  for (const UnitId unit : base::ids<UnitId>(mask.size())) {
    if (!mask.frozen(unit)) chosen.push_back(unit);
  }
  return chosen;
}

}  // namespace frostline::policy
