#include "cost/settings.h"

#include <fmt/format.h>

#include <cassert>

#include "base/time.h"

namespace frostline::cost {
namespace {

using base::Allowed;
using base::Document;
using base::Numbers;
using pipeline::PipelineShape;
using pipeline::Rank;
using pipeline::StageId;

Allowed<std::string> source_words() {
  Allowed<std::string> allowed = base::one_of({"table", "profile", "analytic"});
  const auto accepts = allowed.accepts;
  allowed.accepts = [accepts](const std::string& word) { return word.empty() || accepts(word); };
  return allowed;
}

Allowed<double> times_from(double least, const std::string& text) {
  return {fmt::format("at least {} and below {} (11 days)", text, base::kLongestMs),
          [least](double ms) { return least <= ms && ms < base::kLongestMs; },
          {}};
}

Allowed<double> positive_times() { return times_from(1e-6, "1e-06 (1 ns)"); }
Allowed<double> times() { return times_from(0.0, "0"); }
/// Up to a tebibyte: sums over a million stages x micro-batches stay below the largest number.
Allowed<double> sizes() { return base::between(0.0, 1e6); }
Allowed<std::int64_t> number_sizes() { return base::between(0, 64); }

}  // namespace

const base::Section<CostSettings>& cost_section() {
  static const auto kSection =
      base::Section<CostSettings>("cost", "How long actions take and what they hold.")
          .key("source", &CostSettings::source, source_words(),
               "Where the figures come from: the table below, a profile that was measured, or the "
               "model's FLOPs and bytes on the cluster's devices.")
          .key("file", &CostSettings::file, "The profile, if that is the source.")
          .key("forward_ms", &CostSettings::forward_ms, positive_times(),
               "A stage's forward of one micro-batch; like every list here one value for all, one "
               "a rank, or one a stage in model order.")
          .key("input_gradient_ms", &CostSettings::input_gradient_ms, positive_times(),
               "A stage's input gradient of one micro-batch.")
          .key("weight_gradient_ms", &CostSettings::weight_gradient_ms, positive_times(),
               "A stage's weight gradient of one micro-batch, with nothing frozen.")
          .key("frozen_backward_ms", &CostSettings::frozen_backward_ms, times(),
               "What a stage's backward becomes when all of it is frozen; if empty, "
               "input_gradient_ms.")
          .key(
              "overlap_ms", &CostSettings::overlap_ms, positive_times(),
              "What a stage's forward and its whole backward of another micro-batch take when they "
              "run overlapped, with nothing frozen; if empty, their sum. A pair of two stages "
              "takes the share of each that this makes.")
          .key("send_ms", &CostSettings::send_ms, times(),
               "Pure delay of a transfer between ranks: occupies neither link nor sender.")
          .key("message_mib", &CostSettings::message_mib, sizes(),
               "What a stage sends to the next for a micro-batch, and gets back as its gradient, "
               "over the links of [cluster]; if empty, nothing that takes time.")
          .key("partial_freeze_overhead", &CostSettings::partial_freeze_overhead,
               base::between(0.0, 1.0),
               "What a stage pays when some but not all of its units are frozen, as a share of its "
               "whole weight-gradient time.")
          .key("activation_mib", &CostSettings::activation_mib, sizes(),
               "What a micro-batch holds on a stage from its forward until its backward.")
          .key("activation_after_input_gradient_mib",
               &CostSettings::activation_after_input_gradient_mib, sizes(),
               "The part of it that is still held between I and W; if empty, half.")
          .key("load_data_ms", &CostSettings::load_data_ms, times(),
               "Loading of a step's data, which runs beside the step before: a step takes the "
               "longer of the two.")
          .key("validation_ms", &CostSettings::validation_ms, times(),
               "One validation; a profile measures it itself.")
          .key("checkpoint_ms", &CostSettings::checkpoint_ms, times(),
               "Writing one checkpoint, during which nothing is computed.")
          .key("weight_bytes", &CostSettings::weight_bytes, number_sizes(),
               "What a rank holds of each learnable number of its layers; like the next two only "
               "with a model.")
          .key("gradient_bytes", &CostSettings::gradient_bytes, number_sizes(),
               "What its gradient takes, if it trains.")
          .key("optimizer_bytes", &CostSettings::optimizer_bytes, number_sizes(),
               "What the optimizer holds of it; 8 are Adam's two moments in float32, to which a "
               "master copy of shorter weights would add 4.");
  return kSection;
}

double stage_value(const Numbers& list, int ranks, const std::vector<Rank>& rank_of_stage,
                   StageId stage) {
  assert(!list.empty());
  if (list.size() == 1) return list.front();
  const bool one_a_rank = static_cast<int>(list.size()) == ranks;
  return list.at(one_a_rank ? rank_of_stage.at(stage.index()).index() : stage.index());
}

double stage_value(const Numbers& list, const PipelineShape& shape, StageId stage) {
  return stage_value(list, shape.ranks, looped_placement(shape), stage);
}

void add_times_beside_steps(const CostSettings& settings, ModelCost& cost) {
  constexpr double kNsPerMs = 1e6;
  cost.load_data_ns = settings.load_data_ms * kNsPerMs;
  cost.checkpoint_ns = settings.checkpoint_ms * kNsPerMs;
  if (settings.source != "profile") cost.validation_ns = settings.validation_ms * kNsPerMs;
}

}  // namespace frostline::cost
