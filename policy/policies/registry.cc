#include "policy/policies/registry.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>

#include "base/error.h"
#include "base/nearest.h"
#include "policy/policies/kinds.h"

namespace frostline::policy {

std::span<const PolicyKind> policy_kinds() {
  static const std::array kKinds{none_kind(), last_k_kind(), mask_kind(), fixed_kind(),
                                 file_kind()};
  return kKinds;
}

base::Words policy_names() {
  base::Words names;
  for (const PolicyKind& kind : policy_kinds()) names.emplace_back(kind.name);
  return names;
}

std::unique_ptr<Policy> make_policy(const FreezeSettings& settings,
                                    const pipeline::UnitTable& units) {
  for (const PolicyKind& kind : policy_kinds()) {
    if (kind.name == settings.policy) return kind.make(settings, units);
  }
  const base::Words names = policy_names();
  throw base::Error(fmt::format("there is no freeze policy '{}'; use one of {}{}", settings.policy,
                                fmt::join(names, ", "),
                                base::did_you_mean(settings.policy, names)));
}

}  // namespace frostline::policy
