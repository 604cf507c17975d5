#include "models/settings.h"

#include <fmt/format.h>

#include <algorithm>

namespace frostline::models {
namespace {

using base::at_least;
using base::between;

// Far beyond what trains, but small enough that sizes computed from them stay exact integers.
constexpr int kMostBlocks = 1024;
constexpr int kMostWidth = 16384;
constexpr int kMostHeads = 1024;
constexpr int kMostRatio = 64;
constexpr int kMostHours = 24 * 366;
constexpr int kMostWords = 1 << 24;
constexpr int kMostTokens = 1 << 20;

/// "width 96 or 99": the multiples of `factor` around `value`, none of them 0.
std::string multiples_around(std::int64_t value, std::int64_t factor) {
  const std::int64_t below = value / factor * factor;
  const std::int64_t above = below + factor;
  return below == 0 ? fmt::format("{}", above) : fmt::format("{} or {}", below, above);
}

void check_multiple(base::Document& document, const std::string& key, std::int64_t value,
                    const std::string& factor_key, std::int64_t factor) {
  if (value % factor == 0) return;
  document.problem(key, fmt::format("{} = {} is not a multiple of {} = {}; use {}", key, value,
                                    factor_key, factor, multiples_around(value, factor)));
}

void check_parts(base::Document& document, const DataSettings& data) {
  const double test = 1.0 - data.train_share - data.validation_share;
  if (test > 1e-9) return;
  document.problem("data.train_share",
                   fmt::format("data.train_share = {} and data.validation_share = {} leave no test "
                               "part; their sum must be below 1",
                               data.train_share, data.validation_share));
}

void check_source(base::Document& document, const DataSettings& data) {
  if (data.file.empty()) {
    document.problem("data.file", "data.file is missing; name the CSV file with the load series");
  }
  if (data.series.empty()) {
    document.problem(
        "data.series",
        "data.series is empty; list the columns to learn from, such as [\"1\", \"2\"]");
  }
  for (auto name = data.series.begin(); name != data.series.end(); ++name) {
    if (std::count(data.series.begin(), name, *name) != 1) continue;
    document.problem("data.series", fmt::format("data.series names '{}' twice", *name));
  }
}

base::Allowed<std::string> kinds_or_none() {
  const base::Words words{"forecaster", "gpt"};
  return {
      "\"forecaster\" or \"gpt\", or leave the key out",
      [](const std::string& word) { return word.empty() || word == "forecaster" || word == "gpt"; },
      words};
}

/// A key that stands at its default has no effect: a scenario with every key written out is sound.
template <class Value>
void refuse_other(base::Document& document, const ModelSettings& model, const std::string& key,
                  Value ModelSettings::* value) {
  const ModelSettings defaults;
  if (model.*value == defaults.*value) return;
  document.problem(
      key, fmt::format("{} is not used by model.kind = \"{}\"; remove it", key, model.kind));
}

void check_forecaster(base::Document& document, const ModelSettings& model,
                      const DataSettings& data) {
  refuse_other(document, model, "model.vocabulary", &ModelSettings::vocabulary);
  refuse_other(document, model, "model.sequence", &ModelSettings::sequence);
  refuse_other(document, model, "model.tied", &ModelSettings::tied);
  check_multiple(document, "data.context", data.context, "model.patch", model.patch);
  check_parts(document, data);
  check_source(document, data);
}

void check_gpt(base::Document& document, const ModelSettings& model) {
  refuse_other(document, model, "model.patch", &ModelSettings::patch);
  refuse_other(document, model, "model.weights", &ModelSettings::weights);
}

}  // namespace

const base::Section<ModelSettings>& model_section() {
  static const auto kSection =
      base::Section<ModelSettings>("model", "What is trained, or simulated alone.")
          .key(
              "kind", &ModelSettings::kind, kinds_or_none(),
              "Kind of model: a load forecaster, or a language model in the manner of GPT-2, which "
              "can be simulated but not trained yet; without one a layer is a stage and nothing is "
              "learned.")
          .key("blocks", &ModelSettings::blocks, between(1, kMostBlocks),
               "Transformer blocks between embedding and head.")
          .key("width", &ModelSettings::width, between(1, kMostWidth),
               "Numbers in a token's hidden state; a multiple of heads.")
          .key("heads", &ModelSettings::heads, between(1, kMostHeads),
               "Attention heads in a block.")
          .key("mlp_ratio", &ModelSettings::mlp_ratio, between(1, kMostRatio),
               "Hidden width of a block's MLP over width.")
          .key("patch", &ModelSettings::patch, between(1, kMostHours),
               "Hours in one token of a forecaster; data.context is a multiple of it.")
          .key("vocabulary", &ModelSettings::vocabulary, between(1, kMostWords),
               "Words that a gpt knows.")
          .key("sequence", &ModelSettings::sequence, between(1, kMostTokens),
               "Tokens in a sample of a gpt.")
          .key(
              "tied", &ModelSettings::tied,
              "Whether a gpt's head has the embedding's weights; with layers frozen from the input "
              "on, nothing below the head is then saved.")
          .key("dropout", &ModelSettings::dropout, between(0.0, 0.9),
               "Share of what attention and MLP add that is dropped in training.")
          .key("weights", &ModelSettings::weights,
               "Weights to start from, a safetensors file; without it they are drawn from the "
               "seed.");
  return kSection;
}

const base::Section<DataSettings>& data_section() {
  static const auto kSection =
      base::Section<DataSettings>("data", "What is learned from: load series, one value an hour.")
          .key("kind", &DataSettings::kind, base::one_of({"load_csv"}), "Kind of data.")
          .key("file", &DataSettings::file,
               "CSV file with a header line and one row an hour, in order and without gaps.")
          .key("series", &DataSettings::series, "Columns of the file to learn from.")
          .key("context", &DataSettings::context, between(1, kMostHours),
               "Hours that a forecast sees; with fewer than 168 there is no same-hour-last-week "
               "baseline.")
          .key("horizon", &DataSettings::horizon, between(1, kMostHours),
               "Hours that it forecasts.")
          .key("train_share", &DataSettings::train_share, between(0.01, 0.98),
               "Share of the rows, from the first on, that is trained on.")
          .key("validation_share", &DataSettings::validation_share, between(0.01, 0.98),
               "Share of the rows that follows, for validation; the rest is the test part.")
          .key("stride", &DataSettings::stride, at_least(1),
               "Hours between the starts of two training windows.")
          .key("validation_stride", &DataSettings::validation_stride, at_least(1),
               "Hours between the starts of two windows of the validation and test parts.");
  return kSection;
}

void check_model(base::Document& document, const ModelSettings& model, const DataSettings& data) {
  if (model.kind.empty()) return;
  check_multiple(document, "model.width", model.width, "model.heads", model.heads);
  if (model.kind == "forecaster") check_forecaster(document, model, data);
  if (model.kind == "gpt") check_gpt(document, model);
}

}  // namespace frostline::models
