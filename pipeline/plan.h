#pragma once

#include "pipeline/freeze_mask.h"
#include "pipeline/partition.h"
#include "pipeline/schedule.h"

namespace frostline::pipeline {

/// What a frozen prefix saves: all of its backward (ours), that of the first stage alone, or
/// nothing but weight gradients (to model other systems).
enum class Cut { kPrefix, kFirstStage, kNone };

/// Everything fixed before a step. A value; changes at step boundaries only.
struct Plan {
  Schedule schedule;  ///< as if nothing were frozen; computations alone, or with transfers
  Partition partition;
  FreezePlan freeze;
  Cut cut = Cut::kPrefix;

  friend bool operator==(const Plan&, const Plan&) = default;
};

}  // namespace frostline::pipeline

template <>
struct std::hash<frostline::pipeline::Plan> {
  std::size_t operator()(const frostline::pipeline::Plan& plan) const noexcept;
};
