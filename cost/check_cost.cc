#include <fmt/format.h>

#include <algorithm>
#include <span>

#include "cost/settings.h"

namespace frostline::cost {
namespace {

using base::Document;
using base::Numbers;
using pipeline::PipelineShape;
using pipeline::StageId;

struct ListKey {
  const char* name;
  Numbers CostSettings::* values;
};

const ListKey kNeededLists[] = {{"forward_ms", &CostSettings::forward_ms},
                                {"input_gradient_ms", &CostSettings::input_gradient_ms},
                                {"weight_gradient_ms", &CostSettings::weight_gradient_ms}};
const ListKey kOptionalLists[] = {
    {"frozen_backward_ms", &CostSettings::frozen_backward_ms},
    {"overlap_ms", &CostSettings::overlap_ms},
    {"message_mib", &CostSettings::message_mib},
    {"activation_mib", &CostSettings::activation_mib},
    {"activation_after_input_gradient_mib", &CostSettings::activation_after_input_gradient_mib}};

struct NumberKey {
  const char* name;
  double CostSettings::* value;
};

/// What a profile measures itself.
const NumberKey kMeasuredNumbers[] = {
    {"send_ms", &CostSettings::send_ms},
    {"partial_freeze_overhead", &CostSettings::partial_freeze_overhead},
    {"validation_ms", &CostSettings::validation_ms}};
const NumberKey kOtherNumbers[] = {{"load_data_ms", &CostSettings::load_data_ms},
                                   {"checkpoint_ms", &CostSettings::checkpoint_ms}};

struct SizeKey {
  const char* name;
  std::int64_t CostSettings::* value;
};

const SizeKey kSizeKeys[] = {{"weight_bytes", &CostSettings::weight_bytes},
                             {"gradient_bytes", &CostSettings::gradient_bytes},
                             {"optimizer_bytes", &CostSettings::optimizer_bytes}};

std::string full_name(const char* key) { return std::string("cost.") + key; }

void refuse_key(Document& document, const std::string& key, const std::string& why) {
  if (document.has(key)) document.problem(key, key + " " + why);
}

/// A key that stands at its default has no effect: a scenario with every key written out is sound.
void refuse_file(Document& document, const CostSettings& settings, const std::string& why) {
  if (!settings.file.empty()) refuse_key(document, "cost.file", why);
}

void refuse_lists(Document& document, const CostSettings& settings, const std::string& why) {
  const CostSettings defaults;
  const auto refuse = [&](const char* name, auto member) {
    if (settings.*member != defaults.*member) refuse_key(document, full_name(name), why);
  };
  for (const ListKey& key : kNeededLists) refuse(key.name, key.values);
  for (const ListKey& key : kOptionalLists) refuse(key.name, key.values);
}

void refuse_numbers(Document& document, const CostSettings& settings,
                    std::span<const NumberKey> keys, const std::string& why) {
  const CostSettings defaults;
  for (const NumberKey& key : keys) {
    if (settings.*key.value == defaults.*key.value) continue;
    refuse_key(document, full_name(key.name), why);
  }
}

void refuse_size_keys(Document& document, const CostSettings& settings, const std::string& why) {
  const CostSettings defaults;
  for (const SizeKey& key : kSizeKeys) {
    if (settings.*key.value == defaults.*key.value) continue;
    refuse_key(document, full_name(key.name), why);
  }
}

void check_needed(Document& document, const ListKey& key) {
  const std::string name = full_name(key.name);
  Numbers values;
  const bool empty = document.has(name) && document.read(name, values) && values.empty();
  if (document.has(name) && !empty) return;
  document.problem(name,
                   fmt::format("cost.source = \"table\" needs values in {}; give one for all, "
                               "one a rank, or one a stage",
                               name));
}

std::string allowed_lengths(std::int64_t ranks, std::int64_t chunks) {
  if (ranks == 1 && chunks == 1) return "1";
  std::string rank_length = fmt::format("1 (for all), {} (one a rank)", ranks);
  if (chunks == 1) return rank_length;
  return fmt::format("{} or {} (one a stage: ranks x chunks)", rank_length, ranks * chunks);
}

bool check_length(Document& document, const std::string& name, const Numbers& values,
                  const pipeline::PipelineSettings& pipeline) {
  const auto length = static_cast<std::int64_t>(values.size());
  const std::int64_t ranks = pipeline.ranks;
  const std::int64_t chunks = pipeline.chunks;
  if (length <= 1 || length == ranks || length == ranks * chunks) return true;
  document.problem(
      name,
      fmt::format("{} has {} values with pipeline.ranks = {} and pipeline.chunks = {}; give {}",
                  name, length, ranks, chunks, allowed_lengths(ranks, chunks)));
  return false;
}

bool check_lengths(Document& document, const CostSettings& settings,
                   const pipeline::PipelineSettings& pipeline) {
  bool sound = true;
  const auto check = [&](const ListKey& key) {
    sound = check_length(document, full_name(key.name), settings.*key.values, pipeline) && sound;
  };
  for (const ListKey& key : kNeededLists) check(key);
  for (const ListKey& key : kOptionalLists) check(key);
  return sound;
}

/// What is still held between I and W is a part of what F holds.
void check_activations(Document& document, const CostSettings& settings,
                       const pipeline::PipelineSettings& pipeline) {
  const Numbers& after = settings.activation_after_input_gradient_mib;
  if (after.empty() || settings.activation_mib.empty()) return;
  const std::string name = "cost.activation_after_input_gradient_mib";
  const int ranks = pipeline.shape().ranks;
  const auto rank_of_stage = placement(pipeline);
  for (const StageId stage : base::ids<StageId>(static_cast<int>(rank_of_stage.size()))) {
    const double part = stage_value(after, ranks, rank_of_stage, stage);
    const double whole = stage_value(settings.activation_mib, ranks, rank_of_stage, stage);
    if (part <= whole) continue;
    document.problem(name, fmt::format("{} = {} at stage {} is more than its activation_mib = {}, "
                                       "of which it is a part; use at most {}",
                                       name, part, stage.value, whole, whole));
    return;
  }
}

double largest(const Numbers& values) {
  return values.empty() ? 0 : *std::max_element(values.begin(), values.end());
}

/// If everything ran one after the other, the step's end would still be an instant of the clock.
void check_step_time(Document& document, const CostSettings& settings,
                     const pipeline::PipelineSettings& pipeline) {
  constexpr double kLongestStepMs = 4e12;  // 126 years; the clock ends after 292
  double stage_ms =
      2 * settings.send_ms + largest(settings.overlap_ms) + largest(settings.frozen_backward_ms);
  for (const ListKey& key : kNeededLists) stage_ms += largest(settings.*key.values);
  if (pipeline.recomputes()) stage_ms += largest(settings.forward_ms);
  const PipelineShape shape = pipeline.shape();
  const double cells = static_cast<double>(shape.stages()) * shape.micro_batches;
  if (stage_ms * cells < kLongestStepMs) return;
  document.problem("cost.forward_ms",
                   fmt::format("a micro-batch takes up to {:g} ms on a stage, and {} stages x {} "
                               "micro-batches of them more than {:g} ms (126 years) in a step; use "
                               "smaller times in [cost]",
                               stage_ms, shape.stages(), shape.micro_batches, kLongestStepMs));
}

/// A stage's input is all that recomputation keeps.
void check_recompute(Document& document, const CostSettings& settings,
                     const pipeline::PipelineSettings& pipeline) {
  if (!pipeline.recomputes()) return;
  if (settings.source.empty()) {
    document.problem(
        "pipeline.recompute",
        "pipeline.recompute = \"full\" has no effect without cost.source; give one, or "
        "use \"none\"");
  } else if (settings.source == "table" && settings.message_mib.empty() &&
             pipeline.shape().stages() > 1) {
    document.problem("pipeline.recompute",
                     "pipeline.recompute = \"full\" keeps the inputs of the stages and needs their "
                     "size; give cost.message_mib");
  }
}

void check_table(Document& document, const CostSettings& settings,
                 const pipeline::PipelineSettings& pipeline) {
  refuse_file(document, settings,
              "is not used by cost.source = \"table\"; remove it, or use source = \"profile\"");
  for (const ListKey& key : kNeededLists) check_needed(document, key);
  if (settings.activation_mib.empty()) {
    document.problem("cost.activation_mib",
                     "cost.activation_mib is empty; give one value for all, "
                     "one a rank, or one a stage");
  }
  check_step_time(document, settings, pipeline);
  if (check_lengths(document, settings, pipeline)) {
    check_activations(document, settings, pipeline);
  }
}

void check_profile(Document& document, const CostSettings& settings) {
  const char* const why =
      "is not used by cost.source = \"profile\"; remove it, or use source = \"table\"";
  refuse_lists(document, settings, why);
  refuse_numbers(document, settings, kMeasuredNumbers, why);
  if (settings.file.empty()) {
    document.problem("cost.file",
                     "cost.source = \"profile\" needs cost.file, the profile that was measured");
  }
}

void check_analytic(Document& document, const CostSettings& settings) {
  const std::string why = "is not used by cost.source = \"analytic\"; remove it, or use source = ";
  refuse_lists(document, settings, why + "\"table\"");
  refuse_file(document, settings, why + "\"profile\"");
}

void check_no_source(Document& document, const CostSettings& settings) {
  const std::string why = "is not used without cost.source; add source = ";
  refuse_lists(document, settings, why + "\"table\"");
  refuse_numbers(document, settings, kMeasuredNumbers, why + "\"table\"");
  refuse_numbers(document, settings, kOtherNumbers, why + "\"table\"");
  refuse_size_keys(document, settings, why + "\"analytic\"");
  refuse_file(document, settings, why + "\"profile\"");
}

}  // namespace

void check_cost(Document& document, const CostSettings& settings,
                const pipeline::PipelineSettings& pipeline) {
  check_recompute(document, settings, pipeline);
  if (settings.source == "table") return check_table(document, settings, pipeline);
  if (settings.source == "profile") return check_profile(document, settings);
  if (settings.source == "analytic") return check_analytic(document, settings);
  std::string source;
  const bool none =
      !document.has("cost.source") || (document.read("cost.source", source) && source.empty());
  if (none) check_no_source(document, settings);
}

void check_number_sizes(Document& document, const CostSettings& settings, bool has_model) {
  if (has_model || settings.source.empty()) return;
  refuse_size_keys(document, settings,
                   "has no effect without a model, which says how many learnable numbers there "
                   "are; set model.kind, or remove it");
}

}  // namespace frostline::cost
