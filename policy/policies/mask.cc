#include <fmt/format.h>

#include <algorithm>

#include "base/error.h"
#include "base/nearest.h"
#include "policy/policies/constant_mask.h"
#include "policy/policies/kinds.h"

namespace frostline::policy {
namespace {

using pipeline::FreezeMask;
using pipeline::UnitTable;

pipeline::UnitId unit_named(const std::string& name, const UnitTable& units) {
  base::Words known;
  for (const pipeline::Unit& unit : units.units) known.push_back(unit.name);
  const auto found = std::find(known.begin(), known.end(), name);
  if (found == known.end()) {
    throw base::Error(fmt::format("freeze.frozen: the model has no unit '{}'{}", name,
                                  base::did_you_mean(name, known)));
  }
  return {static_cast<int>(found - known.begin())};
}

std::unique_ptr<Policy> make(const FreezeSettings& settings, const UnitTable& units) {
  const auto leading = std::min<std::int64_t>(settings.frozen_layers, units.layers());
  FreezeMask mask = pipeline::freeze_leading_layers(units, static_cast<int>(leading));
  for (const std::string& name : settings.frozen) mask.freeze(unit_named(name, units));
  return std::make_unique<ConstantMask>(std::move(mask));
}

}  // namespace

PolicyKind mask_kind() {
  return {"mask", "freezes frozen_layers leading layers and the units in frozen, from the start",
          false, make};
}

}  // namespace frostline::policy
