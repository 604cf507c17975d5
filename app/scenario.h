#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/document.h"
#include "base/section.h"
#include "cost/cluster_settings.h"
#include "cost/settings.h"
#include "models/layer_description.h"
#include "models/settings.h"
#include "pipeline/settings.h"
#include "policy/freeze_settings.h"
#include "policy/train_settings.h"

namespace frostline::app {

/// The top of the scenario file.
struct GeneralSettings {
  std::string name = "run";
  std::int64_t seed = 1;
};

const base::Section<GeneralSettings>& general_section();

/// A scenario that was read and found sound, in any world.
struct Scenario {
  GeneralSettings general;
  pipeline::PipelineSettings pipeline;
  cost::CostSettings cost;
  cost::ClusterSettings cluster;
  policy::FreezeSettings freeze;
  models::ModelSettings model;
  models::DataSettings data;
  policy::TrainSettings train;

  bool has_model() const { return !model.kind.empty(); }
  int layers() const { return static_cast<int>(units.layer_names.size()); }
  std::uint64_t seed() const { return static_cast<std::uint64_t>(general.seed); }
  /// Every key with its effective value, as a scenario that reads back equal.
  std::string to_toml() const;

  models::ModelDescription description;  ///< empty without a model
  pipeline::UnitTable units;
};

/// What a verb will do with the scenario; decides what must be there.
enum class Use { kCheck, kSimulate, kTrain, kProfile };

/// Reads and checks a scenario: all problems in one pass. Throws base::InvalidInput with all of
/// them, base::Error if the file cannot be read.
Scenario read_scenario(base::Document document, Use use);

/// Only what can be said of each key by itself: that there is such a key, and that it may have the
/// value. Throws base::InvalidInput with all that is wrong.
void check_keys(base::Document& document);

/// Every section that a scenario may have, for the documentation.
std::vector<const base::SectionInfo*> scenario_sections();

}  // namespace frostline::app
