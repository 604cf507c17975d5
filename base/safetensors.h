#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace frostline::base {

/// Element types of the safetensors format that Frostline uses.
enum class DType { kF32, kF64, kI64, kI32, kU8, kBF16, kF16 };

std::size_t size_of(DType dtype);
std::string to_text(DType dtype);  ///< "F32", as in the format

/// A tensor in memory: row-major, little-endian bytes.
struct TensorBlob {
  DType dtype = DType::kF32;
  std::vector<std::int64_t> shape;
  std::vector<std::byte> bytes;

  std::int64_t elements() const;
};

/// The contents of one safetensors file (https://huggingface.co/docs/safetensors): named tensors
/// and free text under "__metadata__". Names are unique and sorted.
struct TensorFile {
  std::map<std::string, TensorBlob> tensors;
  std::map<std::string, std::string> metadata;
};

/// Throws Error, naming file and fault, when the file is missing or broken: truncated, header that
/// is not JSON, offsets that overlap, leave holes or run past the end, sizes that do not match the
/// shape.
TensorFile read_safetensors(const std::filesystem::path& path);

/// Writes atomically; the same contents give the same bytes. Throws Error.
void write_safetensors(const std::filesystem::path& path, const TensorFile& file);

}  // namespace frostline::base
