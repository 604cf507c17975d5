#pragma once

#include <utility>

#include "policy/policy.h"

namespace frostline::policy {

/// One mask from the start to the end.
class ConstantMask : public Policy {
 public:
  explicit ConstantMask(pipeline::FreezeMask mask) : mask_(std::move(mask)) {}

  pipeline::FreezeMask initial_mask() const override { return mask_; }
  pipeline::StatisticsOrder needs(const Situation&) const override { return {}; }
  Decision decide(const Situation&, std::span<const pipeline::UnitStatistics>) override {
    return {mask_, {}, ""};
  }
  bool fixed_from_the_start() const override { return true; }

 private:
  pipeline::FreezeMask mask_;
};

}  // namespace frostline::policy
