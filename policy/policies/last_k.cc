#include <algorithm>

#include "policy/policies/constant_mask.h"
#include "policy/policies/kinds.h"

namespace frostline::policy {
namespace {

std::unique_ptr<Policy> make(const FreezeSettings& settings, const pipeline::UnitTable& units) {
  const std::int64_t kept = std::clamp<std::int64_t>(settings.keep_layers, 0, units.layers());
  return std::make_unique<ConstantMask>(
      pipeline::freeze_leading_layers(units, units.layers() - static_cast<int>(kept)));
}

}  // namespace

PolicyKind last_k_kind() {
  return {"last_k", "trains the last keep_layers layers alone, from the start", false, make};
}

}  // namespace frostline::policy
