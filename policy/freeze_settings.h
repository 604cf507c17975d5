#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "base/section.h"
#include "models/layer_description.h"
#include "pipeline/plan.h"
#include "pipeline/world.h"

namespace frostline::policy {

/// [freeze]
struct FreezeSettings {
  std::string policy = "none";
  std::int64_t keep_layers = 1;    ///< last_k: layers at the output that keep training
  std::int64_t frozen_layers = 0;  ///< mask: leading layers
  base::Words frozen;              ///< mask: units by name
  std::filesystem::path file;      ///< file: a finished run's folder
  std::string cut = "prefix";
  std::string unit = "layer";
  std::string optimizer_state = "keep";
  std::int64_t judging_step = 20;  ///< S, optimizer steps
  std::int64_t window = 8;         ///< W, units
  double theta1 = 0.2;
  double theta2 = 0.65;
  double theta3 = 0.5;
  std::string change = "common";
  std::string size = "self";
  std::int64_t warm_up = 2;  ///< judging steps before the first judgement, over which "self" takes
                             ///< its mean
  std::int64_t confirm = 1;  ///< positive judgements in a row that freeze
  std::string order = "prefix";

  models::UnitKind unit_kind() const;
  pipeline::Cut cut_kind() const;
  pipeline::Change change_kind() const;
  /// What the optimizer holds of a unit that froze stays there, for when it thaws.
  bool keeps_optimizer_state() const { return optimizer_state == "keep"; }
};

const base::Section<FreezeSettings>& freeze_section();

/// Notes as problems: units that the model does not have, a window larger than the model, more
/// layers than there are, a rule that could never judge or freeze anything, and keys that only have
/// a meaning for a policy where none is chosen.
///
/// A key at its default is never a problem, be it written or not: a run's own scenario file holds
/// every key.
void check_freeze(base::Document& document, const FreezeSettings& settings,
                  const pipeline::UnitTable& units);

/// "relative", "common", "drift".
std::string_view to_word(pipeline::Change change);
std::optional<pipeline::Change> change_from(std::string_view word);

}  // namespace frostline::policy
