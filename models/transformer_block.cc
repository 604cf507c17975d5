#include "models/transformer_block.h"

namespace frostline::models {
namespace {

constexpr std::int64_t kFloat = 4;  ///< bytes of a float32

/// One product of scores or of values over all heads.
double attention_product_flops(const BlockSizes& s) {
  return linear_flops(s.tokens, s.width, s.tokens);
}

/// Numbers kept per sample, in the order in which the forward makes them.
std::int64_t block_activation(const BlockSizes& s) {
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

}  // namespace

double linear_flops(std::int64_t rows, std::int64_t in, std::int64_t out) {
  return 2.0 * static_cast<double>(rows) * static_cast<double>(in) * static_cast<double>(out);
}

base::Bytes floats(std::int64_t count) { return {count * kFloat}; }

void add_linear(LayerDescription& layer, const std::string& name, std::int64_t in,
                std::int64_t out) {
  layer.tensors.push_back({layer.name + "." + name + ".weight", {out, in}});
  layer.tensors.push_back({layer.name + "." + name + ".bias", {out}});
}

void add_norm(LayerDescription& layer, const std::string& name, std::int64_t width) {
  layer.tensors.push_back({layer.name + "." + name + ".weight", {width}});
  layer.tensors.push_back({layer.name + "." + name + ".bias", {width}});
}

BlockSizes block_sizes(const ModelSettings& model, std::int64_t tokens) {
  return {tokens, model.width, model.heads, model.mlp_ratio * model.width, model.dropout > 0};
}

LayerDescription describe_block(const BlockSizes& s, std::int64_t index) {
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

}  // namespace frostline::models
