#pragma once

#include "policy/policies/registry.h"

namespace frostline::policy {

// For the registry: what each file beside it defines.
PolicyKind none_kind();
PolicyKind last_k_kind();
PolicyKind mask_kind();
PolicyKind fixed_kind();
PolicyKind file_kind();

}  // namespace frostline::policy
