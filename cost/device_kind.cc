#include "cost/device_kind.h"

#include <algorithm>
#include <array>
#include <cassert>

namespace frostline::cost {
namespace {

constexpr double kTera = 1e12;
constexpr double kGiga = 1e9;

constexpr base::Bytes gigabytes(std::int64_t count) { return {count * 1'000'000'000}; }
constexpr base::Bytes gibibytes(std::int64_t count) { return {count << 30}; }

// Peaks, memory and bandwidth are the makers' (dense, without sparsity):
//   h200      NVIDIA H200 data sheet, SXM: bf16 989 TFLOP/s, 141 GB, 4.8 TB/s
//   h100      NVIDIA H100 data sheet, SXM5: bf16 989 TFLOP/s, 80 GB, 3.35 TB/s
//   a100      NVIDIA A100 data sheet, 80 GB SXM: bf16 312 TFLOP/s, 2039 GB/s
//   v100      NVIDIA V100 data sheet, SXM2: fp16 125 TFLOP/s, 900 GB/s, 32 GB
//   rtx_3090  NVIDIA GA102 white paper: bf16 with fp32 sums 71 TFLOP/s, 24 GB, 936 GB/s
//   rtx_4090  NVIDIA Ada white paper: bf16 with fp32 sums 165.2 TFLOP/s, 24 GB, 1008 GB/s
// Sustained shares are model FLOPs over peak in published training runs:
//   h100      0.47, the README of NVIDIA's Megatron-LM, GPT models of 2 to 462 billion parameters;
//             h200 has the same cores
//   a100      0.52, Narayanan et al., "Efficient Large-Scale Language Model Training on GPU
//   Clusters
//             Using Megatron-LM", SC 2021: 163 TFLOP/s at 1 trillion parameters
//   v100      0.31, Shoeybi et al., "Megatron-LM", 2019: 39 TFLOP/s on one device
//   rtx_3090, rtx_4090  no figure of such standing is known to us: a100's
// cpu_core: one core of an AMD EPYC at 2.6 GHz nominal with AVX-512, measured: a loop of fused
// multiply-adds 117 GFLOP/s, Eigen's product of two 1024 x 1024 float matrices 83 GFLOP/s, memcpy
// 22 GB/s read and written. Memory is what a core of a usual server has.
const std::array<DeviceKind, 7> kDevices{{
    {"h200", "bf16", 989 * kTera, 0.47, gigabytes(141), 4800 * kGiga},
    {"h100", "bf16", 989 * kTera, 0.47, gigabytes(80), 3350 * kGiga},
    {"a100", "bf16", 312 * kTera, 0.52, gigabytes(80), 2039 * kGiga},
    {"v100", "fp16", 125 * kTera, 0.31, gigabytes(32), 900 * kGiga},
    {"rtx_3090", "bf16", 71 * kTera, 0.52, gigabytes(24), 936 * kGiga},
    {"rtx_4090", "bf16", 165.2 * kTera, 0.52, gigabytes(24), 1008 * kGiga},
    {"cpu_core", "fp32", 117 * kGiga, 0.71, gibibytes(4), 22 * kGiga},
}};

}  // namespace

const DeviceKind& find_device(const std::string& name) {
  const auto* found = std::find_if(kDevices.begin(), kDevices.end(),
                                   [&](const DeviceKind& kind) { return kind.name == name; });
  assert(found != kDevices.end());
  return *found;
}

const base::Words& device_names() {
  static const base::Words kNames = [] {
    base::Words names;
    for (const DeviceKind& kind : kDevices) names.push_back(kind.name);
    return names;
  }();
  return kNames;
}

}  // namespace frostline::cost
