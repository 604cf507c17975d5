#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "base/safetensors.h"

namespace frostline::base {

// What reader and writer of the safetensors format share. For their use only.

/// The file begins with the header's length: 8 bytes, little-endian.
inline constexpr std::size_t kLengthBytes = 8;
inline constexpr const char* kMetadataKey = "__metadata__";

std::optional<DType> dtype_named(std::string_view name);
std::string dtype_names();  ///< "F32, F64, ..."
/// Nothing if it overflows.
std::optional<std::int64_t> product(std::span<const std::int64_t> factors);

}  // namespace frostline::base
