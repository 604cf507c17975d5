#include "models/forecaster.h"

#include <cassert>

namespace frostline::models {
namespace {

constexpr std::int64_t kFloat = 4;  ///< bytes of a float32

/// The sizes that all layers' shapes, FLOPs and bytes follow from.
struct Sizes {
  Sizes(const ModelSettings& model, const DataSettings& data)
      : context(data.context),
        horizon(data.horizon),
        tokens(data.context / model.patch),
        token_input(model.patch + kCalendarFeatures),
        width(model.width),
        heads(model.heads),
        hidden(model.mlp_ratio * model.width),
        drops(model.dropout > 0) {}

  std::int64_t context;
  std::int64_t horizon;
  std::int64_t tokens;
  std::int64_t token_input;
  std::int64_t width;
  std::int64_t heads;
  std::int64_t hidden;
  bool drops;
};

/// Of `rows` rows through a linear map of in x out.
double linear_flops(std::int64_t rows, std::int64_t in, std::int64_t out) {
  return 2.0 * static_cast<double>(rows) * static_cast<double>(in) * static_cast<double>(out);
}

base::Bytes floats(std::int64_t count) { return {count * kFloat}; }

/// Appends weight [out, in] and bias [out].
void add_linear(LayerDescription& layer, const std::string& name, std::int64_t in,
                std::int64_t out) {
  layer.tensors.push_back({layer.name + "." + name + ".weight", {out, in}});
  layer.tensors.push_back({layer.name + "." + name + ".bias", {out}});
}

void add_norm(LayerDescription& layer, const std::string& name, std::int64_t width) {
  layer.tensors.push_back({layer.name + "." + name + ".weight", {width}});
  layer.tensors.push_back({layer.name + "." + name + ".bias", {width}});
}

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

/// One product of scores or of values over all heads.
double attention_product_flops(const Sizes& s) { return linear_flops(s.tokens, s.width, s.tokens); }

/// Numbers kept per sample, in the order in which the forward makes them.
std::int64_t block_activation(const Sizes& s) {
  const std::int64_t norm = 2 * s.tokens;       // mean and reciprocal deviation
  const std::int64_t attention = s.width        // input of the norm
                                 + s.width      // input of the linear map to q, k, v
                                 + 3 * s.width  // q, k, v
                                 + s.heads      // log-sum-exp of the scores
                                 + s.width;     // attention's result, input of a linear map
  const std::int64_t mlp = s.width              // input of the norm
                           + s.width            // input of the linear map up
                           + 2 * s.hidden;      // input and output of gelu
  const std::int64_t masks = s.drops ? 2 * s.width : 0;
  return s.tokens * (attention + mlp + masks) + 2 * norm;
}

LayerDescription describe_block(const Sizes& s, std::int64_t index) {
  LayerDescription layer{.name = "blocks." + std::to_string(index), .kind = "block"};
  add_norm(layer, "attention.norm", s.width);
  add_linear(layer, "attention.qkv", s.width, 3 * s.width);
  add_linear(layer, "attention.out", s.width, s.width);
  add_norm(layer, "mlp.norm", s.width);
  add_linear(layer, "mlp.up", s.width, s.hidden);
  add_linear(layer, "mlp.down", s.hidden, s.width);
  const double linears = linear_flops(s.tokens, s.width, 4 * s.width + 2 * s.hidden);
  layer.forward_flops = linears + 2 * attention_product_flops(s);
  // The backward computes the scores once more, and the gradients of q, k, v and of the scores.
  layer.input_gradient_flops = linears + 5 * attention_product_flops(s);
  layer.weight_gradient_flops = linears;
  layer.activation = floats(block_activation(s));
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
  ModelDescription description{.kind = model.kind};
  description.layers.push_back(describe_embedding(sizes));
  for (std::int64_t i = 0; i < model.blocks; ++i) {
    description.layers.push_back(describe_block(sizes, i));
  }
  description.layers.push_back(describe_head(sizes));
  return description;
}

ModelDescription describe_model(const ModelSettings& model, const DataSettings& data) {
  assert(model.kind == "forecaster");
  return describe_forecaster(model, data);
}

}  // namespace frostline::models
