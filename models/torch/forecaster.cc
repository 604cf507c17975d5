#include "models/torch/forecaster.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/gelu.h>
#include <ATen/ops/layer_norm.h>
#include <ATen/ops/linear.h>
#include <ATen/ops/scaled_dot_product_attention.h>

#include <algorithm>
#include <array>
#include <cassert>
#include <cmath>

#include "models/torch/dropout.h"

namespace frostline::models {
namespace {

constexpr int kDay = 24;
constexpr int kWeek = 7 * kDay;

/// The context less its own mean, and that mean. [B, C], [B, 1]
struct Centred {
  explicit Centred(const at::Tensor& context)
      : mean(context.mean(1, /*keepdim=*/true)), shape(context - mean) {}

  at::Tensor mean;
  at::Tensor shape;
};

struct Linear {
  at::Tensor weight;  ///< [out, in]
  at::Tensor bias;    ///< [out]; may be undefined

  at::Tensor operator()(const at::Tensor& input) const { return at::linear(input, weight, bias); }
};

/// Over the last dimension.
struct Norm {
  at::Tensor weight;
  at::Tensor bias;

  at::Tensor operator()(const at::Tensor& input) const {
    return at::layer_norm(input, weight.sizes(), weight, bias);
  }
};

/// Makes the tensors of a description, in its order.
class ForecasterLayer : public TorchLayer {
 protected:
  ForecasterLayer(const LayerDescription& description, const InitialDraw& draw)
      : description_(description), draw_(draw) {}

  /// Weights scaled such that outputs are about as large as inputs, times `gain`.
  Linear add_linear(double gain) {
    const auto inputs = static_cast<double>(next().shape.at(1));
    at::Tensor weight = add_normal(gain / std::sqrt(inputs));
    return {weight, add_constant(0)};
  }
  Norm add_norm() {
    at::Tensor weight = add_constant(1);
    return {weight, add_constant(0)};
  }
  at::Tensor add_normal(double deviation) {
    return add(normal_values(next(), deviation, draw_, static_cast<int>(parameters().size())));
  }
  at::Tensor add_constant(double value) { return add(constant_values(next(), value)); }
  at::Tensor add(const at::Tensor& value) { return add_parameter(next().name, value); }
  const TensorDescription& next() const { return description_.tensors.at(parameters().size()); }
  void check_complete() const { assert(parameters().size() == description_.tensors.size()); }
  base::LayerId id() const { return draw_.layer; }

 private:
  LayerDescription description_;
  InitialDraw draw_;
};

class Embedding : public ForecasterLayer {
 public:
  Embedding(const ModelSettings& model, const LayerDescription& description,
            const InitialDraw& draw)
      : ForecasterLayer(description, draw), patch_(model.patch) {
    to_width_ = add_linear(1);
    position_ = add_normal(0.5);
    check_complete();
  }

  at::Tensor forward(const at::Tensor&, const BatchTensors& batch, const ForwardContext&) override {
    const at::Tensor patches = Centred(batch.context).shape.unflatten(1, {-1, patch_});
    return to_width_(at::cat({patches, batch.calendar}, 2)) + position_;
  }

 private:
  std::int64_t patch_;
  Linear to_width_;
  at::Tensor position_;  ///< [T, width]
};

class Block : public ForecasterLayer {
 public:
  Block(const ModelSettings& model, const LayerDescription& description, const InitialDraw& draw)
      : ForecasterLayer(description, draw), heads_(model.heads), dropout_(model.dropout) {
    // So that the hidden state does not grow with depth (as in GPT-2).
    const double residual_gain = 1 / std::sqrt(2.0 * static_cast<double>(model.blocks));
    attention_norm_ = add_norm();
    to_qkv_ = add_linear(1);
    from_attention_ = add_linear(residual_gain);
    mlp_norm_ = add_norm();
    up_ = add_linear(1);
    down_ = add_linear(residual_gain);
    check_complete();
  }

  at::Tensor forward(const at::Tensor& hidden, const BatchTensors&,
                     const ForwardContext& where) override {
    Dropout dropout(dropout_, id(), where);
    const at::Tensor middle = hidden + dropout(attention(attention_norm_(hidden)));
    return middle + dropout(down_(at::gelu(up_(mlp_norm_(middle)))));
  }

 private:
  /// Full attention, [B, T, width] to the same.
  at::Tensor attention(const at::Tensor& input) const {
    const at::Tensor qkv = to_qkv_(input).unflatten(2, {3, heads_, -1});
    std::vector<at::Tensor> parts = qkv.unbind(2);  // each [B, T, heads, width / heads]
    for (at::Tensor& part : parts) part = part.transpose(1, 2);
    const at::Tensor mixed = at::scaled_dot_product_attention(parts[0], parts[1], parts[2]);
    return from_attention_(mixed.transpose(1, 2).flatten(2));
  }

  std::int64_t heads_;
  double dropout_;
  Norm attention_norm_;
  Linear to_qkv_;
  Linear from_attention_;
  Norm mlp_norm_;
  Linear up_;
  Linear down_;
};

/// Weights [H, C] that forecast each hour by the mean of the same hour yesterday and last week, as
/// far as the context reaches back: what the linear path starts from.
at::Tensor same_hours(const TensorDescription& description) {
  at::Tensor weights = constant_values(description, 0);
  const std::int64_t horizon = description.shape.at(0);
  const std::int64_t context = description.shape.at(1);
  auto* const rows = weights.mutable_data_ptr<float>();
  const float share = context >= kWeek ? 0.5F : 1.0F;
  for (const std::int64_t period : {kDay, kWeek}) {
    if (context < period) continue;
    for (std::int64_t hour = 0; hour < horizon; ++hour) {
      rows[hour * context + context - period + hour % period] = share;
    }
  }
  return weights;
}

class Head : public ForecasterLayer {
 public:
  Head(const LayerDescription& description, const InitialDraw& draw)
      : ForecasterLayer(description, draw) {
    norm_ = add_norm();
    output_ = add_linear(0);  // the first forecast is the linear path's alone
    linear_.weight = add(same_hours(next()));
    check_complete();
  }

  at::Tensor forward(const at::Tensor& hidden, const BatchTensors& batch,
                     const ForwardContext&) override {
    const Centred context(batch.context);
    return output_(norm_(hidden).flatten(1)) + linear_(context.shape) + context.mean;
  }

 private:
  Norm norm_;
  Linear output_;  ///< all tokens at once: [H, T * width]
  Linear linear_;
};

}  // namespace

std::unique_ptr<TorchLayer> build_forecaster_layer(const ModelSettings& model,
                                                   const LayerDescription& description,
                                                   const InitialDraw& draw) {
  if (description.kind == "embedding") {
    return std::make_unique<Embedding>(model, description, draw);
  }
  if (description.kind == "block") return std::make_unique<Block>(model, description, draw);
  assert(description.kind == "head");
  return std::make_unique<Head>(description, draw);
}

}  // namespace frostline::models
