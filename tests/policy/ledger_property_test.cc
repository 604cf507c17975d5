#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>
#include <map>

#include "policy/ledger.h"

namespace frostline::policy {
namespace {

using pipeline::Change;
using pipeline::StatisticsOrder;
using pipeline::UnitId;
using pipeline::UnitStatistics;

using Samples = std::vector<GradientSample>;

Change any_change() {
  return *rc::gen::element(Change::kRelative, Change::kCommon, Change::kDrift);
}

/// Of any size, a few of them zero or not finite.
double any_gradient() {
  const int kind = *rc::gen::inRange(0, 40);
  if (kind == 0) return 0;
  if (kind == 1) return std::nan("");
  if (kind == 2) return INFINITY;
  return std::ldexp(1.0 + *rc::gen::inRange(0, 1 << 30) / 3e9, *rc::gen::inRange(-60, 60));
}

Samples any_samples(std::size_t units) {
  Samples samples;
  for (std::size_t i = 0; i < units; ++i) samples.push_back({any_gradient(), any_gradient()});
  return samples;
}

/// Some of units 0 to 7, in any order.
StatisticsOrder any_order(Change change) {
  std::multimap<int, UnitId> drawn;
  for (const UnitId unit : base::ids<UnitId>(8)) drawn.emplace(*rc::gen::inRange(0, 100), unit);
  StatisticsOrder order{{}, change, 0.3};
  for (const auto& [number, unit] : drawn) {
    if (number < 70) order.units.push_back(unit);
  }
  return order;
}

std::vector<UnitStatistics> finish(Ledger& ledger) {
  const std::vector<double> norms(ledger.order().units.size(), 2.0);
  return ledger.finish(norms);
}

void assert_same(const std::vector<UnitStatistics>& a, const std::vector<UnitStatistics>& b) {
  RC_ASSERT(a.size() == b.size());
  for (std::size_t i = 0; i < a.size(); ++i) {
    RC_ASSERT(a[i].unit == b[i].unit);
    RC_ASSERT(a[i].mean_gradient == b[i].mean_gradient);
    RC_ASSERT(a[i].small_changes == b[i].small_changes);
    RC_ASSERT(a[i].change == b[i].change);
    RC_ASSERT(a[i].finite == b[i].finite);
  }
}

RC_GTEST_PROP(Ledger, SavedAndLoadedAfterAnyStepGoesOnBitwise, ()) {
  const Change change = any_change();
  Ledger kept;
  Ledger moved;
  for (int judging_step = 0; judging_step < 3; ++judging_step) {
    const StatisticsOrder order = any_order(change);
    kept.begin(order);
    moved.begin(order);
    for (int step = *rc::gen::inRange(0, 5); step > 0; --step) {
      const Samples samples = any_samples(order.units.size());
      kept.observe(samples);
      moved.observe(samples);
      Ledger loaded;
      loaded.load(moved.save());
      moved = loaded;
      RC_ASSERT(moved.order() == kept.order());
      RC_ASSERT(moved.steps() == kept.steps());
    }
    assert_same(finish(kept), finish(moved));
    RC_ASSERT(kept.save() == moved.save());
  }
}

RC_GTEST_PROP(Ledger, GivesFiniteFiguresAndSharesWhateverItSees, ()) {
  Ledger ledger;
  const StatisticsOrder order = any_order(any_change());
  ledger.begin(order);
  for (int step = *rc::gen::inRange(0, 6); step > 0; --step) {
    ledger.observe(any_samples(order.units.size()));
  }
  for (const UnitStatistics& unit : finish(ledger)) {
    RC_ASSERT(std::isfinite(unit.mean_gradient) && std::isfinite(unit.change));
    RC_ASSERT(unit.small_changes >= 0 && unit.small_changes <= 1);
    if (unit.finite) RC_ASSERT(unit.mean_gradient > 0);
  }
}

// Other learning rates and loss scales multiply all gradients; neither test of change may see it.
RC_GTEST_PROP(Ledger, IsBlindToAScaleThatIsCommonToAllSteps, ()) {
  const StatisticsOrder order = any_order(*rc::gen::element(Change::kRelative, Change::kCommon));
  Ledger plain;
  Ledger scaled;
  plain.begin(order);
  scaled.begin(order);
  for (int step = 0; step < 4; ++step) {
    Samples samples;
    for (std::size_t i = 0; i < order.units.size(); ++i) {
      samples.push_back({1.0 + *rc::gen::inRange(0, 1000) / 100.0, 0});
    }
    plain.observe(samples);
    for (GradientSample& sample : samples) sample.mean_abs *= 1024;
    scaled.observe(samples);
  }
  const auto a = finish(plain);
  const auto b = finish(scaled);
  for (std::size_t i = 0; i < a.size(); ++i) RC_ASSERT(std::abs(a[i].change - b[i].change) < 1e-9);
}

}  // namespace
}  // namespace frostline::policy
