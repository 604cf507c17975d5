#pragma once

#include "models/layer_description.h"
#include "models/settings.h"

namespace frostline::models {

/// What the shapes, FLOPs and bytes of a transformer's block follow from.
struct BlockSizes {
  std::int64_t tokens = 0;  ///< of a sample
  std::int64_t width = 0;
  std::int64_t heads = 0;
  std::int64_t hidden = 0;  ///< of the MLP
  bool drops = false;       ///< has dropout
};

BlockSizes block_sizes(const ModelSettings& model, std::int64_t tokens);

/// "blocks.INDEX": pre-norm attention and MLP with gelu, each added to its input. FLOPs and bytes
/// are those of LibTorch's kernels on the CPU, attention's fused one included; what a mask over the
/// scores could save is counted, as usual.
LayerDescription describe_block(const BlockSizes& sizes, std::int64_t index);

/// Of `rows` rows through a linear map of in x out.
double linear_flops(std::int64_t rows, std::int64_t in, std::int64_t out);
/// Bytes of so many numbers.
base::Bytes floats(std::int64_t count);
/// Appends weight [out, in] and bias [out].
void add_linear(LayerDescription& layer, const std::string& name, std::int64_t in,
                std::int64_t out);
/// Appends weight [width] and bias [width].
void add_norm(LayerDescription& layer, const std::string& name, std::int64_t width);

}  // namespace frostline::models
