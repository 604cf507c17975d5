#include "models/forecaster.h"

#include "models/transformer_block.h"

namespace frostline::models {
namespace {

/// The sizes that all layers' shapes, FLOPs and bytes follow from.
struct Sizes {
  Sizes(const ModelSettings& model, const DataSettings& data)
      : context(data.context),
        horizon(data.horizon),
        tokens(data.context / model.patch),
        token_input(model.patch + kCalendarFeatures),
        width(model.width) {}

  std::int64_t context;
  std::int64_t horizon;
  std::int64_t tokens;
  std::int64_t token_input;
  std::int64_t width;
};

LayerDescription describe_embedding(const Sizes& s) {
  LayerDescription layer{.name = "embedding", .kind = "embedding"};
  add_linear(layer, "patch", s.token_input, s.width);
  layer.tensors.push_back({"embedding.position", {s.tokens, s.width}});
  layer.forward_flops = linear_flops(s.tokens, s.token_input, s.width);
  layer.weight_gradient_flops = layer.forward_flops;
  layer.activation = floats(s.tokens * s.token_input);
  layer.output = floats(s.tokens * s.width);
  return layer;
}

LayerDescription describe_head(const Sizes& s) {
  LayerDescription layer{.name = "head", .kind = "head"};
  add_norm(layer, "norm", s.width);
  add_linear(layer, "output", s.tokens * s.width, s.horizon);
  layer.tensors.push_back({"head.linear.weight", {s.horizon, s.context}});
  const double output = linear_flops(1, s.tokens * s.width, s.horizon);
  layer.forward_flops = output + linear_flops(1, s.context, s.horizon);
  layer.input_gradient_flops = output;
  layer.weight_gradient_flops = layer.forward_flops;
  // Input and result of the norm, its mean and reciprocal deviation, and the context less its mean.
  layer.activation = floats(2 * s.tokens * s.width + 2 * s.tokens + s.context);
  layer.output = floats(s.horizon);
  return layer;
}

}  // namespace

ModelDescription describe_forecaster(const ModelSettings& model, const DataSettings& data) {
  const Sizes sizes(model, data);
  const BlockSizes block = block_sizes(model, sizes.tokens);
  ModelDescription description{.kind = model.kind};
  description.layers.push_back(describe_embedding(sizes));
  for (std::int64_t i = 0; i < model.blocks; ++i) {
    description.layers.push_back(describe_block(block, i));
  }
  description.layers.push_back(describe_head(sizes));
  return description;
}

}  // namespace frostline::models
