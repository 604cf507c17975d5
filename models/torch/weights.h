#pragma once

#include <span>
#include <string>

#include "base/safetensors.h"
#include "models/torch/layer.h"

namespace frostline::models {

/// A tensor's bytes, on the CPU and contiguous. Requires one of the element types of base::DType.
base::TensorBlob to_blob(const at::Tensor& tensor);
/// Back into an existing tensor (in place, outside autograd, on whatever device it lives). Throws
/// base::Error, naming the tensor, if shape or type differ.
void copy_from_blob(at::Tensor& tensor, const base::TensorBlob& blob, const std::string& name);

/// Sets parameters and buffers of a layer from a file's tensors by global name. Throws base::Error
/// that names the first one that is missing or of another shape, and `source`.
void load_layer(TorchLayer& layer, const base::TensorFile& file, const std::string& source);

}  // namespace frostline::models
