#include "models/torch/weights.h"

#include <ATen/ops/arange.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/equal.h>
#include <ATen/ops/zeros.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/base/temporary_folder.h"
#include "tests/base/throws.h"
#include "tests/models/torch/small_model.h"

namespace frostline::models {
namespace {

using ::testing::ElementsAre;

base::TensorFile blobs_of(const Layers& layers) {
  base::TensorFile file;
  for (const auto& layer : layers) {
    for (const auto& [name, tensor] : layer->parameters()) file.tensors[name] = to_blob(tensor);
  }
  return file;
}

TEST(WeightsTest, CopiesEveryElementTypeThereAndBack) {
  for (const auto type :
       {at::kFloat, at::kDouble, at::kLong, at::kInt, at::kByte, at::kBFloat16, at::kHalf}) {
    const at::Tensor tensor = at::arange(6, at::TensorOptions(type)).view({2, 3});
    const base::TensorBlob blob = to_blob(tensor);
    EXPECT_THAT(blob.shape, ElementsAre(2, 3));
    EXPECT_EQ(blob.bytes.size(), 6 * base::size_of(blob.dtype));
    at::Tensor back = at::zeros({2, 3}, at::TensorOptions(type));
    copy_from_blob(back, blob, "x");
    EXPECT_TRUE(at::equal(back, tensor)) << base::to_text(blob.dtype);
  }
}

TEST(WeightsTest, WritesATransposedTensorRowByRow) {
  const at::Tensor tensor = at::arange(6, at::kByte).view({2, 3}).t();
  const base::TensorBlob blob = to_blob(tensor);
  EXPECT_THAT(blob.shape, ElementsAre(3, 2));
  EXPECT_THAT(blob.bytes, ElementsAre(std::byte{0}, std::byte{3}, std::byte{1}, std::byte{4},
                                      std::byte{2}, std::byte{5}));
}

TEST(WeightsTest, TakesScalarsAndEmptyTensors) {
  at::Tensor scalar = at::zeros({}, at::kFloat);
  copy_from_blob(scalar, to_blob(at::arange(5, 6, at::kFloat).squeeze()), "x");
  EXPECT_EQ(scalar.item<float>(), 5);
  at::Tensor none = at::empty({0, 3}, at::kFloat);
  copy_from_blob(none, to_blob(none), "x");
  EXPECT_THAT(to_blob(none).shape, ElementsAre(0, 3));
}

TEST(WeightsTest, CopiesInPlaceIntoAParameter) {
  const Layers layers = build_all(small_model(), regions(), 1);
  at::Tensor weight = layers[1]->parameters()[2].second;
  const float* const memory = weight.const_data_ptr<float>();
  copy_from_blob(weight, to_blob(weight.detach().mul(2)), "x");
  EXPECT_EQ(weight.const_data_ptr<float>(), memory);
  EXPECT_TRUE(weight.is_leaf());
  EXPECT_TRUE(weight.requires_grad());
}

TEST(WeightsTest, GoesThroughAFileIntoAnyLayer) {
  const base::TemporaryFolder folder;
  const Layers one = build_all(small_model(), regions(), 1);
  const Layers two = build_all(small_model(), regions(), 2);
  base::write_safetensors(folder / "model.safetensors", blobs_of(one));
  const base::TensorFile file = base::read_safetensors(folder / "model.safetensors");
  for (const auto& layer : two) load_layer(*layer, file, "model.safetensors");
  for (std::size_t layer = 0; layer < one.size(); ++layer) {
    for (std::size_t i = 0; i < one[layer]->parameters().size(); ++i) {
      const auto& [name, tensor] = two[layer]->parameters()[i];
      EXPECT_TRUE(at::equal(tensor, one[layer]->parameters()[i].second)) << name;
    }
  }
}

TEST(WeightsTest, NamesAMissingTensor) {
  const Layers layers = build_all(small_model(), regions());
  base::TensorFile file = blobs_of(layers);
  file.tensors["head.linaer.weight"] = file.tensors["head.linear.weight"];
  file.tensors.erase("head.linear.weight");
  EXPECT_EQ(base::message_of([&] { load_layer(*layers.back(), file, "old.safetensors"); }),
            "old.safetensors: there is no tensor 'head.linear.weight', which the model needs; "
            "did you mean 'head.linaer.weight'?");
}

TEST(WeightsTest, NamesATensorOfAnotherShape) {
  const Layers layers = build_all(small_model(), regions());
  base::TensorFile file = blobs_of(layers);
  file.tensors["blocks.0.mlp.up.bias"] = to_blob(at::zeros({50, 1}));
  EXPECT_EQ(base::message_of([&] { load_layer(*layers[1], file, "old.safetensors"); }),
            "old.safetensors: tensor 'blocks.0.mlp.up.bias' is F32 [50, 1], the model needs F32 "
            "[48]; [model] and [data] must be those it was trained with");
}

TEST(WeightsTest, NamesATensorOfAnotherType) {
  at::Tensor tensor = at::zeros({2});
  EXPECT_EQ(base::message_of([&] {
              copy_from_blob(tensor, to_blob(at::zeros({2}, at::kDouble)), "optimizer.m");
            }),
            "tensor 'optimizer.m' is F64 [2], the model needs F32 [2]");
}

}  // namespace
}  // namespace frostline::models
