#include "pipeline/freeze_mask.h"

#include <fmt/format.h>

#include <algorithm>
#include <boost/functional/hash.hpp>
#include <cassert>
#include <utility>

#include "base/error.h"

namespace frostline::pipeline {

int FreezeMask::count() const {
  return static_cast<int>(std::count(frozen_.begin(), frozen_.end(), true));
}

std::string FreezeMask::text() const {
  std::string text;
  for (const bool frozen : frozen_) text += frozen ? '1' : '0';
  return text;
}

FreezeMask FreezeMask::from_text(const std::string& text) {
  const auto wrong = text.find_first_not_of("01");
  if (wrong != std::string::npos) {
    throw base::Error(fmt::format("character {} of the freeze mask '{}' is '{}'; use 0 and 1 only",
                                  wrong + 1, text, text[wrong]));
  }
  FreezeMask mask;
  for (const char character : text) mask.frozen_.push_back(character == '1');
  return mask;
}

FreezeMask operator&(const FreezeMask& a, const FreezeMask& b) {
  assert(a.size() == b.size());
  FreezeMask both(a.size());
  for (std::size_t unit = 0; unit < a.frozen_.size(); ++unit) {
    both.frozen_[unit] = a.frozen_[unit] && b.frozen_[unit];
  }
  return both;
}

FreezeMask freeze_leading_layers(const UnitTable& units, int layers) {
  FreezeMask mask(units.size());
  for (const UnitId unit : base::ids<UnitId>(units.size())) {
    const auto& held_by = units.units[unit.index()].layers;
    const auto leads = [&](LayerId layer) { return layer.value < layers; };
    if (std::all_of(held_by.begin(), held_by.end(), leads)) mask.freeze(unit);
  }
  return mask;
}

std::vector<bool> training_layers(const UnitTable& units, const FreezeMask& mask) {
  assert(mask.size() == units.size());
  std::vector<bool> trains(units.layer_names.size(), false);
  for (const UnitId unit : base::ids<UnitId>(units.size())) {
    if (mask.frozen(unit)) continue;
    for (const LayerId layer : units.units[unit.index()].layers) trains.at(layer.index()) = true;
  }
  return trains;
}

int frost_line(const UnitTable& units, const FreezeMask& mask) {
  const auto trains = training_layers(units, mask);
  return static_cast<int>(std::find(trains.begin(), trains.end(), true) - trains.begin());
}

double frozen_share(const UnitTable& units, const FreezeMask& mask) {
  assert(mask.size() == units.size());
  std::int64_t frozen = 0;
  for (const UnitId unit : base::ids<UnitId>(units.size())) {
    if (mask.frozen(unit)) frozen += units.units[unit.index()].elements;
  }
  const std::int64_t all = units.elements();
  return all == 0 ? 0.0 : static_cast<double>(frozen) / static_cast<double>(all);
}

FreezePlan::FreezePlan(std::vector<FreezeMask> masks) : masks_(std::move(masks)) {
  assert(!masks_.empty());
  const auto same = [&](const FreezeMask& mask) { return mask == masks_.front(); };
  assert(std::all_of(masks_.begin(), masks_.end(),
                     [&](const FreezeMask& mask) { return mask.size() == masks_.front().size(); }));
  if (std::all_of(masks_.begin(), masks_.end(), same))
    masks_.erase(masks_.begin() + 1, masks_.end());
}

const FreezeMask& FreezePlan::mask(MicroBatch micro_batch) const {
  return masks_.at(uniform() ? 0 : micro_batch.index());
}

FreezeMask FreezePlan::whole_step() const {
  FreezeMask whole = masks_.at(0);
  for (const FreezeMask& mask : masks_) whole = whole & mask;
  return whole;
}

}  // namespace frostline::pipeline

std::size_t std::hash<frostline::pipeline::FreezeMask>::operator()(
    const frostline::pipeline::FreezeMask& mask) const noexcept {
  return std::hash<std::vector<bool>>{}(mask.frozen_);
}

std::size_t std::hash<frostline::pipeline::FreezePlan>::operator()(
    const frostline::pipeline::FreezePlan& plan) const noexcept {
  std::size_t seed = 0;
  for (const auto& mask : plan.masks_) {
    boost::hash_combine(seed, std::hash<frostline::pipeline::FreezeMask>{}(mask));
  }
  return seed;
}
