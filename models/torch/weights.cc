#include "models/torch/weights.h"

#include <ATen/core/grad_mode.h>
#include <ATen/ops/from_blob.h>

#include <algorithm>
#include <array>
#include <cassert>
#include <cstring>

#include "base/error.h"
#include "base/nearest.h"

namespace frostline::models {
namespace {

constexpr std::array<std::pair<at::ScalarType, base::DType>, 7> kTypes{{
    {at::kFloat, base::DType::kF32},
    {at::kDouble, base::DType::kF64},
    {at::kLong, base::DType::kI64},
    {at::kInt, base::DType::kI32},
    {at::kByte, base::DType::kU8},
    {at::kBFloat16, base::DType::kBF16},
    {at::kHalf, base::DType::kF16},
}};

base::DType dtype_of(const at::Tensor& tensor) {
  const auto found = std::find_if(kTypes.begin(), kTypes.end(), [&](const auto& pair) {
    return pair.first == tensor.scalar_type();
  });
  assert(found != kTypes.end());
  return found->second;
}

// No fmt in files that see LibTorch: its headers bring another version of fmt along.

/// "F32 [96, 12]"
std::string text(base::DType dtype, std::span<const std::int64_t> shape) {
  std::string sizes;
  for (const std::int64_t size : shape) sizes += (sizes.empty() ? "" : ", ") + std::to_string(size);
  return base::to_text(dtype) + " [" + sizes + "]";
}

/// What is wrong with the blob as contents of the tensor, or "".
std::string fault(const at::Tensor& tensor, const base::TensorBlob& blob, const std::string& name) {
  const std::span<const std::int64_t> shape(tensor.sizes().begin(), tensor.sizes().end());
  if (blob.dtype == dtype_of(tensor) && std::ranges::equal(blob.shape, shape)) return "";
  return "tensor '" + name + "' is " + text(blob.dtype, blob.shape) + ", the model needs " +
         text(dtype_of(tensor), shape);
}

void copy_bytes(at::Tensor& tensor, const base::TensorBlob& blob) {
  const at::NoGradGuard no_grad;
  // from_blob wants a pointer that may be written to, and does not write.
  auto* const bytes = const_cast<std::byte*>(blob.bytes.data());
  tensor.copy_(at::from_blob(bytes, blob.shape, at::TensorOptions(tensor.scalar_type())));
}

void load_tensor(at::Tensor tensor, const std::string& name, const base::TensorFile& file,
                 const std::string& source) {
  const auto found = file.tensors.find(name);
  if (found == file.tensors.end()) {
    std::vector<std::string> names;
    for (const auto& [other, blob] : file.tensors) names.push_back(other);
    throw base::Error({source}, "there is no tensor '" + name + "', which the model needs" +
                                    base::did_you_mean(name, names));
  }
  const std::string wrong = fault(tensor, found->second, name);
  if (!wrong.empty()) {
    throw base::Error({source}, wrong + "; [model] and [data] must be those it was trained with");
  }
  copy_bytes(tensor, found->second);
}

}  // namespace

base::TensorBlob to_blob(const at::Tensor& tensor) {
  const at::Tensor source = tensor.detach().cpu().contiguous();
  base::TensorBlob blob{dtype_of(source), source.sizes().vec(), {}};
  blob.bytes.resize(source.nbytes());
  if (!blob.bytes.empty()) std::memcpy(blob.bytes.data(), source.const_data_ptr(), source.nbytes());
  return blob;
}

void copy_from_blob(at::Tensor& tensor, const base::TensorBlob& blob, const std::string& name) {
  const std::string wrong = fault(tensor, blob, name);
  if (!wrong.empty()) throw base::Error(wrong);
  copy_bytes(tensor, blob);
}

void load_layer(TorchLayer& layer, const base::TensorFile& file, const std::string& source) {
  for (const auto* tensors : {&layer.parameters(), &layer.buffers()}) {
    for (const auto& [name, tensor] : *tensors) load_tensor(tensor, name, file, source);
  }
}

}  // namespace frostline::models
