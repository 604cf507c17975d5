#include "models/gpt.h"

#include "models/transformer_block.h"

namespace frostline::models {
namespace {

constexpr const char* kEmbeddingWeight = "embedding.tokens";
constexpr const char* kHeadWeight = "head.output.weight";

/// A look-up: no products, and words are kept as 64-bit numbers.
LayerDescription describe_embedding(const ModelSettings& model) {
  LayerDescription layer{.name = "embedding", .kind = "embedding"};
  layer.tensors.push_back({kEmbeddingWeight, {model.vocabulary, model.width}});
  layer.tensors.push_back({"embedding.position", {model.sequence, model.width}});
  layer.activation = {8 * model.sequence};
  layer.output = floats(model.sequence * model.width);
  return layer;
}

LayerDescription describe_head(const ModelSettings& model) {
  LayerDescription layer{.name = "head", .kind = "head"};
  add_norm(layer, "norm", model.width);
  layer.tensors.push_back({kHeadWeight, {model.vocabulary, model.width}});
  layer.forward_flops = linear_flops(model.sequence, model.width, model.vocabulary);
  layer.input_gradient_flops = layer.forward_flops;
  layer.weight_gradient_flops = layer.forward_flops;
  // Input and result of the norm, its mean and reciprocal deviation, and the scores' logarithms.
  layer.activation = floats(model.sequence * (2 * model.width + 2 + model.vocabulary));
  layer.output = floats(model.sequence * model.vocabulary);
  return layer;
}

}  // namespace

ModelDescription describe_gpt(const ModelSettings& model) {
  ModelDescription description{.kind = model.kind};
  const BlockSizes block = block_sizes(model, model.sequence);
  description.layers.push_back(describe_embedding(model));
  for (std::int64_t i = 0; i < model.blocks; ++i) {
    description.layers.push_back(describe_block(block, i));
  }
  description.layers.push_back(describe_head(model));
  if (model.tied) description.tied.push_back({kEmbeddingWeight, kHeadWeight});
  return description;
}

}  // namespace frostline::models
