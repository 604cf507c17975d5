#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "base/section.h"
#include "cost/layer_cost.h"
#include "pipeline/settings.h"
#include "pipeline/units.h"

namespace frostline::cost {

/// [cost]. Each list holds one value for all, one a rank, or one a stage in model order.
struct CostSettings {
  std::string source;          ///< "" (none given), "table", "profile" or "analytic"
  std::filesystem::path file;  ///< of the profile
  base::Numbers forward_ms;
  base::Numbers input_gradient_ms;
  base::Numbers weight_gradient_ms;
  base::Numbers frozen_backward_ms;  ///< empty: input_gradient_ms
  base::Numbers overlap_ms;          ///< empty: the sum of the pair
  base::Numbers message_mib;         ///< empty: none
  double send_ms = 0;
  double partial_freeze_overhead = 0;
  base::Numbers activation_mib = {1.0};
  base::Numbers activation_after_input_gradient_mib;  ///< empty: half of activation_mib
  double load_data_ms = 0;
  double validation_ms = 0;
  double checkpoint_ms = 0;
  std::int64_t weight_bytes = 4;                      ///< of a learnable number
  std::int64_t gradient_bytes = 4;
  std::int64_t optimizer_bytes = 8;  ///< Adam's two moments in float32
};

const base::Section<CostSettings>& cost_section();

/// Notes lists of a length other than 1, ranks or ranks x chunks, keys that the source needs or
/// does not use, and recomputation of what no figures are there for.
void check_cost(base::Document& document, const CostSettings& settings,
                const pipeline::PipelineSettings& pipeline);

/// Notes sizes of learnable numbers where no model says how many there are.
void check_number_sizes(base::Document& document, const CostSettings& settings, bool has_model);

/// The value of a stage in such a list; one a rank means the rank that holds the stage.
double stage_value(const base::Numbers& list, int ranks,
                   const std::vector<pipeline::Rank>& rank_of_stage, pipeline::StageId stage);
/// The same with stage s on rank s mod ranks.
double stage_value(const base::Numbers& list, const pipeline::PipelineShape& shape,
                   pipeline::StageId stage);

/// The costs that a table gives. Without a model a layer is a stage; with one, a stage's figures
/// are spread evenly over the layers of the even partition. Settings that check_cost passed
/// (asserted).
ModelCost table_cost(const CostSettings& settings, const pipeline::PipelineShape& shape, int layers,
                     const std::vector<pipeline::Rank>& rank_of_stage);
/// The same with stage s on rank s mod ranks.
ModelCost table_cost(const CostSettings& settings, const pipeline::PipelineShape& shape,
                     int layers);

/// Puts what a source does not measure into its costs: load_data_ms, checkpoint_ms and, unless the
/// source is a profile, validation_ms.
void add_times_beside_steps(const CostSettings& settings, ModelCost& cost);

}  // namespace frostline::cost
