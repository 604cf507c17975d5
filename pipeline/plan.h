#pragma once

#include <memory>
#include <utility>

#include "pipeline/freeze_mask.h"
#include "pipeline/partition.h"
#include "pipeline/schedule.h"

namespace frostline::pipeline {

/// What a frozen prefix saves: all of its backward (ours), that of the first stage alone, or
/// nothing but weight gradients (to model other systems).
enum class Cut { kPrefix, kFirstStage, kNone };

/// A schedule that many plans share: large, and the same from freeze to freeze. Copying it copies a
/// pointer; two that are the same object compare at once.
class SharedSchedule {
 public:
  SharedSchedule() : SharedSchedule(Schedule{}) {}
  // NOLINTNEXTLINE(google-explicit-constructor): a schedule can be shared
  SharedSchedule(Schedule schedule)
      : schedule_(std::make_shared<const Schedule>(std::move(schedule))) {}

  const Schedule& operator*() const { return *schedule_; }
  const Schedule* operator->() const { return schedule_.get(); }
  operator const Schedule&() const { return *schedule_; }  // NOLINT(google-explicit-constructor)
  friend bool operator==(const SharedSchedule& a, const SharedSchedule& b) {
    return a.schedule_ == b.schedule_ || *a.schedule_ == *b.schedule_;
  }

 private:
  std::shared_ptr<const Schedule> schedule_;
};

/// Everything fixed before a step. A value; changes at step boundaries only.
struct Plan {
  /// As if nothing were frozen; computations alone, or with transfers.
  SharedSchedule schedule;
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
