#pragma once

#include <cstdint>
#include <string>
#include <variant>

#include "base/section.h"
#include "pipeline/partition.h"
#include "pipeline/schedules/registry.h"

namespace frostline::pipeline {

/// The most stages that check_pipeline lets pass: schedules and their graphs fit into memory.
inline constexpr int kMostStages = Action::kMostStages;

/// [pipeline]
struct PipelineSettings {
  std::int64_t ranks = 1;
  std::int64_t chunks = 1;
  std::int64_t replicas = 1;
  std::int64_t micro_batches = 1;
  base::NameOrFile schedule{"1f1b"};  ///< a registered one, or PyTorch's CSV
  double memory_limit = 0;            ///< as in ScheduleRequest
  std::string recompute = "none";
  std::variant<std::string, base::Integers> partition = "balanced";

  PipelineShape shape() const;
  bool recomputes() const { return recompute == "full"; }
  /// What the settings alone say: no times, no sizes.
  ScheduleRequest request() const;
};

const base::Section<PipelineSettings>& pipeline_section();

/// The schedule of settings that check_pipeline passed: made from `request`, or read from its file.
/// Throws base::Error if the file is not what it was any more.
Schedule make_schedule(const PipelineSettings& settings, const ScheduleRequest& request);

/// On which rank each stage is, from the settings alone. A file that cannot be read, which
/// check_pipeline notes, counts as stage s on rank s mod ranks.
std::vector<Rank> placement(const PipelineSettings& settings);

/// Notes as problems of the document what no schedule or partition of `layers` layers can satisfy:
/// a schedule that refuses the shape, a schedule file that is broken or of another shape, a
/// memory limit that the schedule does not take, ranks x chunks above the layers, a partition list
/// of the wrong length or sum, replicas other than 1.
void check_pipeline(base::Document& document, const PipelineSettings& settings, int layers);

}  // namespace frostline::pipeline
