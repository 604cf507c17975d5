#pragma once

#include <memory>
#include <span>
#include <string_view>

#include "policy/freeze_settings.h"
#include "policy/policy.h"

namespace frostline::policy {

/// One freeze policy. Each lives in a file of its own beside this one.
struct PolicyKind {
  std::string_view name;         ///< as in the scenario: "last_k"
  std::string_view description;  ///< one line
  bool judges;                   ///< acts at judging steps, rather than once at the start
  std::unique_ptr<Policy> (*make)(const FreezeSettings& settings, const pipeline::UnitTable& units);
};

std::span<const PolicyKind> policy_kinds();
base::Words policy_names();
/// Throws base::Error if there is none of that name, or what it reads is missing or broken.
std::unique_ptr<Policy> make_policy(const FreezeSettings& settings,
                                    const pipeline::UnitTable& units);

}  // namespace frostline::policy
