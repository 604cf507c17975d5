#include "policy/policies/constant_mask.h"
#include "policy/policies/kinds.h"

namespace frostline::policy {

PolicyKind none_kind() {
  return {"none", "never freezes anything", false,
          [](const FreezeSettings&, const pipeline::UnitTable& units) -> std::unique_ptr<Policy> {
            return std::make_unique<ConstantMask>(pipeline::FreezeMask(units.size()));
          }};
}

}  // namespace frostline::policy
