#include <cassert>

#include "policy/gradient_rule.h"
#include "policy/policies/kinds.h"

namespace frostline::policy {
namespace {

SizeReference size_reference(const std::string& word) {
  if (word == "absolute") return SizeReference::kAbsolute;
  if (word == "self") return SizeReference::kSelf;
  assert(word == "median");
  return SizeReference::kMedian;
}

GradientRule::Settings rule_settings(const FreezeSettings& settings) {
  return {.change = settings.change_kind(),
          .size = size_reference(settings.size),
          .window = settings.window,
          .warm_up = settings.warm_up,
          .confirm = settings.confirm,
          .prefix_order = settings.order == "prefix"};
}

class FixedThresholds : public Policy {
 public:
  FixedThresholds(const FreezeSettings& settings, const pipeline::UnitTable& units)
      : thresholds_{settings.theta1, settings.theta2, settings.theta3},
        rule_(rule_settings(settings), units),
        units_(units.size()) {}

  pipeline::FreezeMask initial_mask() const override { return pipeline::FreezeMask(units_); }
  pipeline::StatisticsOrder needs(const Situation& situation) const override {
    return rule_.needs(situation, thresholds_);
  }
  Decision decide(const Situation& situation,
                  std::span<const pipeline::UnitStatistics> statistics) override {
    return rule_.judge(situation, statistics, thresholds_);
  }
  bool reads_gradients() const override { return true; }
  std::string save() const override { return rule_.save(); }
  void load(const std::string& state) override { rule_.load(state); }

 private:
  Thresholds thresholds_;
  GradientRule rule_;
  int units_;
};

std::unique_ptr<Policy> make(const FreezeSettings& settings, const pipeline::UnitTable& units) {
  return std::make_unique<FixedThresholds>(settings, units);
}

}  // namespace

PolicyKind fixed_kind() {
  return {"fixed", "freezes units whose gradients are small and settled, by constant thresholds",
          true, make};
}

}  // namespace frostline::policy
