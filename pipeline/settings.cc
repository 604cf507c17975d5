#include "pipeline/settings.h"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <optional>

#include "pipeline/schedule_csv.h"
#include "pipeline/schedules/registry.h"

namespace frostline::pipeline {
namespace {

constexpr std::int64_t kMostRanks = 4096;
constexpr std::int64_t kMostChunks = 4096;
/// Of ranks x chunks x micro-batches, so that schedules and their graphs fit into memory: about
/// 1 KiB each.
constexpr std::int64_t kMostCells = 1 << 20;
constexpr double kLargestLimit = kMostCells;

std::int64_t stages_of(const PipelineSettings& settings) {
  return settings.ranks * settings.chunks;
}

/// "pipeline.ranks = 4" or "pipeline.ranks = 2 with pipeline.chunks = 2".
std::string sizes_text(const PipelineSettings& settings) {
  std::string ranks = fmt::format("pipeline.ranks = {}", settings.ranks);
  if (settings.chunks == 1) return ranks;
  return fmt::format("{} with pipeline.chunks = {}", ranks, settings.chunks);
}

void check_replicas(base::Document& document, const PipelineSettings& settings) {
  if (settings.replicas == 1) return;
  document.problem("pipeline.replicas",
                   fmt::format("pipeline.replicas = {} is not allowed; data-parallel copies cannot "
                               "run yet, use 1",
                               settings.replicas));
}

bool check_size(base::Document& document, const PipelineSettings& settings) {
  const std::int64_t stages = stages_of(settings);
  if (stages <= kMostStages && stages <= kMostCells / settings.micro_batches) return true;
  const std::string rule =
      stages > kMostStages
          ? fmt::format("a pipeline has at most {0} stages; use at most {0} stages", kMostStages)
          : fmt::format(
                "stages x micro-batches is at most {}; use at most {} micro-batches with {} "
                "stages",
                kMostCells, kMostCells / stages, stages);
  document.problem(
      "pipeline.micro_batches",
      fmt::format("pipeline.micro_batches = {} on {} stages is too large a schedule: {}",
                  settings.micro_batches, stages, rule));
  return false;
}

/// "ranks = 2, chunks = 1, micro_batches = 4"
std::string shape_text(const PipelineShape& shape) {
  return fmt::format("ranks = {}, chunks = {}, micro_batches = {}", shape.ranks, shape.chunks,
                     shape.micro_batches);
}

/// The file's schedule; throws if it is broken or of another shape.
Schedule schedule_from_file(const PipelineSettings& settings) {
  Schedule schedule = read_schedule_csv(settings.schedule.file());
  if (schedule.shape == settings.shape()) return schedule;
  throw base::Error(fmt::format("the file is made for {0}, but the scenario has {1}; set {0}",
                                shape_text(schedule.shape), shape_text(settings.shape())));
}

/// Why it cannot run.
std::optional<std::string> refuse_schedule(const PipelineSettings& settings) {
  if (!settings.schedule.is_file()) {
    const ScheduleKind* kind = find_schedule(settings.schedule.text);
    assert(kind != nullptr);
    return kind->refuse(settings.shape());
  }
  try {
    schedule_from_file(settings);
    return std::nullopt;
  } catch (const base::Error& error) {
    return error.what();
  }
}

void check_schedule(base::Document& document, const PipelineSettings& settings) {
  if (const auto refusal = refuse_schedule(settings)) {
    document.problem("pipeline.schedule", fmt::format("pipeline.schedule = \"{}\" cannot run: {}",
                                                      settings.schedule.text, *refusal));
  }
}

void check_memory_limit(base::Document& document, const PipelineSettings& settings) {
  const ScheduleKind* kind =
      settings.schedule.is_file() ? nullptr : find_schedule(settings.schedule.text);
  if (const auto refusal = refuse_memory_limit(kind, settings.request())) {
    document.problem("pipeline.memory_limit",
                     fmt::format("pipeline.memory_limit = {} does not go with pipeline.schedule = "
                                 "\"{}\": {}",
                                 settings.memory_limit, settings.schedule.text, *refusal));
  }
}

base::Allowed<std::string> schedules() {
  base::Allowed<std::string> allowed = base::one_of(schedule_names());
  allowed.text += ", or file:NAME.csv";
  return allowed;
}

bool check_layers(base::Document& document, const PipelineSettings& settings, int layers) {
  const std::int64_t stages = stages_of(settings);
  if (stages <= layers) return true;
  const std::int64_t most = layers / settings.chunks;
  const std::string mend = most >= 1
                               ? fmt::format("use at most {}", most)
                               : fmt::format("use pipeline.chunks = 1 and at most {}", layers);
  document.problem("pipeline.ranks", fmt::format("{}: {} stages do not fit {} layers; {}",
                                                 sizes_text(settings), stages, layers, mend));
  return false;
}

void partition_problem(base::Document& document, const base::Integers& counts,
                       const std::string& what) {
  document.problem("pipeline.partition",
                   fmt::format("pipeline.partition = {} {}", base::to_toml(counts), what));
}

/// Element by element against what is left of the layers, so that no sum can overflow.
bool adds_up(const base::Integers& counts, int layers) {
  std::int64_t left = layers;
  for (const std::int64_t count : counts) left -= std::min(count, left + 1);
  return left == 0;
}

void check_partition(base::Document& document, const PipelineSettings& settings, int layers) {
  const auto* counts = std::get_if<base::Integers>(&settings.partition);
  if (counts == nullptr) return;
  const std::int64_t stages = stages_of(settings);
  if (std::ssize(*counts) != stages) {
    partition_problem(document, *counts,
                      fmt::format("has {} numbers for the {} stages of {}; give one for each stage",
                                  counts->size(), stages, sizes_text(settings)));
  } else if (std::any_of(counts->begin(), counts->end(), [](std::int64_t n) { return n < 1; })) {
    partition_problem(document, *counts, "leaves a stage without layers; use at least 1 for each");
  } else if (!adds_up(*counts, layers)) {
    partition_problem(document, *counts,
                      fmt::format("does not add up to the {0} layers; make the sum {0}", layers));
  }
}

/// The only word; a list is judged when the number of layers is known.
base::Allowed<std::string> partition_word() {
  return {"\"balanced\" or the number of layers of each stage",
          [](const std::string& word) { return word == "balanced"; },
          {"balanced"}};
}

}  // namespace

PipelineShape PipelineSettings::shape() const {
  return {static_cast<int>(ranks), static_cast<int>(chunks), static_cast<int>(micro_batches)};
}

ScheduleRequest PipelineSettings::request() const {
  ScheduleRequest request(shape());
  request.memory_limit = memory_limit;
  return request;
}

Schedule make_schedule(const PipelineSettings& settings, const ScheduleRequest& request) {
  if (settings.schedule.is_file()) return schedule_from_file(settings);
  return make_schedule(settings.schedule.text, request);
}

std::vector<Rank> placement(const PipelineSettings& settings) {
  if (!settings.schedule.is_file()) {
    return find_schedule(settings.schedule.text)->place(settings.shape());
  }
  try {
    return schedule_from_file(settings).rank_of_stage;
  } catch (const base::Error&) {
    return looped_placement(settings.shape());
  }
}

const base::Section<PipelineSettings>& pipeline_section() {
  using Settings = PipelineSettings;
  static const auto kSection =
      base::Section<Settings>("pipeline",
                              "How the model is spread over devices and how micro-batches flow.")
          .key("ranks", &Settings::ranks, base::between(std::int64_t{1}, kMostRanks),
               "Devices along the pipeline.")
          .key("chunks", &Settings::chunks, base::between(std::int64_t{1}, kMostChunks),
               "Stages a rank holds.")
          .key("replicas", &Settings::replicas, base::at_least(1),
               "Data-parallel copies of the pipeline.")
          .key("micro_batches", &Settings::micro_batches,
               base::between(std::int64_t{1}, kMostCells),
               "Parts into which the batch of one optimizer step is split.")
          .key("schedule", &Settings::schedule, schedules(),
               "The order in which a rank takes the micro-batches; file:NAME.csv reads it from a "
               "CSV of PyTorch's, with or without transfers.")
          .key("memory_limit", &Settings::memory_limit, base::between(0.0, kLargestLimit),
               "What a rank may hold of activations, for the schedules that search for an order "
               "within it, in multiples of 1F1B's peak: of what `ranks` micro-batches hold on the "
               "rank. 0: the schedule's own, 1 for zb_1p and 2 for zb_2p.")
          .key("recompute", &Settings::recompute, base::one_of({"none", "full"}),
               "What a stage's backward computes anew: \"full\" keeps of its forward the stage's "
               "input alone and begins the backward with the forward, from the frost line on.")
          .key("partition", &Settings::partition, partition_word(),
               "Which layers a stage holds: \"balanced\" by cost, or the number of layers of each "
               "stage in model order.");
  return kSection;
}

void check_pipeline(base::Document& document, const PipelineSettings& settings, int layers) {
  check_replicas(document, settings);
  if (!check_size(document, settings)) return;
  check_schedule(document, settings);
  check_memory_limit(document, settings);
  if (check_layers(document, settings, layers)) check_partition(document, settings, layers);
}

}  // namespace frostline::pipeline
