#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

#include "base/section.h"

namespace frostline::models {

/// [model]
struct ModelSettings {
  std::string kind;  ///< "" (no model: a layer is a stage), "forecaster", "gpt"
  std::int64_t blocks = 8;
  std::int64_t width = 96;
  std::int64_t heads = 4;
  std::int64_t mlp_ratio = 4;
  std::int64_t patch = 8;  ///< hours in one token, of a forecaster
  std::int64_t vocabulary = 50257;
  std::int64_t sequence = 1024;  ///< tokens of a sample, of a gpt
  bool tied = false;
  double dropout = 0.0;
  std::filesystem::path weights;  ///< safetensors to start from; "": drawn from the seed
};

const base::Section<ModelSettings>& model_section();

/// [data]
struct DataSettings {
  std::string kind = "load_csv";
  std::filesystem::path file;
  base::Words series;          ///< columns to learn from ("1", "2"); one row an hour
  std::int64_t context = 168;  ///< hours seen
  std::int64_t horizon = 24;   ///< hours forecast
  double train_share = 0.7;
  double validation_share = 0.1;
  std::int64_t stride = 1;              ///< hours between the starts of two training windows
  std::int64_t validation_stride = 24;  ///< the same where the score is taken
};

const base::Section<DataSettings>& data_section();

/// Notes what does not fit together as problems: width not a multiple of heads, keys of another
/// kind; of a forecaster also context not a multiple of patch, shares that leave no test part.
void check_model(base::Document& document, const ModelSettings& model, const DataSettings& data);

}  // namespace frostline::models
