#pragma once

#include <string>

#include "base/bytes.h"
#include "base/to_toml.h"

namespace frostline::cost {

/// What a kind of device can do. Rates are for the matrix products of training: bf16 or fp16 with
/// fp32 sums where the device has tensor cores, fp32 otherwise.
struct DeviceKind {
  std::string name;
  std::string precision;  ///< of the matrix products: "bf16", "fp16", "fp32"
  double peak_flop_s = 0;
  double sustained_share = 0;  ///< of the peak, as measured in training
  base::Bytes memory;
  double memory_bytes_s = 0;  ///< bandwidth between the device and its memory

  double sustained_flop_s() const { return peak_flop_s * sustained_share; }
};

/// Of the built-in table; each figure's source stands there. `name` is one of device_names()
/// (asserted).
const DeviceKind& find_device(const std::string& name);

const base::Words& device_names();

}  // namespace frostline::cost
