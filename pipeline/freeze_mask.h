#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "pipeline/units.h"

namespace frostline::pipeline {

/// Which units are frozen. A value, compared and hashed like any other.
class FreezeMask {
 public:
  FreezeMask() = default;
  /// Nothing frozen.
  explicit FreezeMask(int units) : frozen_(static_cast<std::size_t>(units), false) {}

  int size() const { return static_cast<int>(frozen_.size()); }
  bool frozen(UnitId unit) const { return frozen_.at(unit.index()); }
  void freeze(UnitId unit) { frozen_.at(unit.index()) = true; }
  void thaw(UnitId unit) { frozen_.at(unit.index()) = false; }
  int count() const;
  bool all() const { return count() == size(); }

  /// One character a unit, '1' for frozen: "1100". The form in logs and checkpoints.
  std::string text() const;
  /// Throws base::Error on another character.
  static FreezeMask from_text(const std::string& text);

  friend bool operator==(const FreezeMask&, const FreezeMask&) = default;
  friend FreezeMask operator&(const FreezeMask& a, const FreezeMask& b);

 private:
  std::vector<bool> frozen_;
  friend struct std::hash<FreezeMask>;
};

/// The mask that freezes every unit of the leading `layers` layers (a tied unit only if all of its
/// layers are among them).
FreezeMask freeze_leading_layers(const UnitTable& units, int layers);

/// For each layer, whether any of its units trains.
std::vector<bool> training_layers(const UnitTable& units, const FreezeMask& mask);

/// The frost line: the number of leading layers all of whose units are frozen. Layers without units
/// count as frozen.
int frost_line(const UnitTable& units, const FreezeMask& mask);

/// The part of the model's learnable numbers that is frozen, 0..1.
double frozen_share(const UnitTable& units, const FreezeMask& mask);

/// A mask for every micro-batch of a step; usually one and the same.
class FreezePlan {
 public:
  FreezePlan() = default;
  explicit FreezePlan(FreezeMask mask) : masks_{std::move(mask)} {}
  /// One a micro-batch; equal ones collapse into one. All of the same size, at least one.
  explicit FreezePlan(std::vector<FreezeMask> masks);

  const FreezeMask& mask(MicroBatch micro_batch) const;
  bool uniform() const { return masks_.size() == 1; }
  /// Frozen in every micro-batch: what counts for optimizer, reduction, clip norm and frost line.
  FreezeMask whole_step() const;

  friend bool operator==(const FreezePlan&, const FreezePlan&) = default;

 private:
  std::vector<FreezeMask> masks_;
  friend struct std::hash<FreezePlan>;
};

}  // namespace frostline::pipeline

template <>
struct std::hash<frostline::pipeline::FreezeMask> {
  std::size_t operator()(const frostline::pipeline::FreezeMask& mask) const noexcept;
};
template <>
struct std::hash<frostline::pipeline::FreezePlan> {
  std::size_t operator()(const frostline::pipeline::FreezePlan& plan) const noexcept;
};
