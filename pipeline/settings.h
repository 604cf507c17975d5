#pragma once

#include <cstdint>
#include <string>
#include <variant>

#include "base/section.h"
#include "pipeline/partition.h"
#include "pipeline/schedule.h"

namespace frostline::pipeline {

/// [pipeline]
struct PipelineSettings {
  std::int64_t ranks = 1;
  std::int64_t chunks = 1;
  std::int64_t replicas = 1;
  std::int64_t micro_batches = 1;
  std::string schedule = "1f1b";
  std::variant<std::string, base::Integers> partition = "balanced";

  PipelineShape shape() const;
};

const base::Section<PipelineSettings>& pipeline_section();

/// Notes as problems of the document what no schedule or partition of `layers` layers can satisfy:
/// a schedule that refuses the shape, ranks x chunks above the layers, a partition list of the
/// wrong length or sum, replicas other than 1.
void check_pipeline(base::Document& document, const PipelineSettings& settings, int layers);

}  // namespace frostline::pipeline
