#pragma once

#include <ATen/record_function.h>

namespace frostline::models {

/// While it lives, counts the FLOPs of the matrix products and attention kernels that LibTorch
/// really runs on this thread, from the shapes that it hands to them. One at a time.
class FlopsCount {
 public:
  FlopsCount();
  ~FlopsCount();
  FlopsCount(const FlopsCount&) = delete;
  FlopsCount& operator=(const FlopsCount&) = delete;

  double flops() const;

 private:
  at::CallbackHandle handle_;
};

}  // namespace frostline::models
