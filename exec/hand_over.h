#pragma once

#include <ATen/core/Tensor.h>

#include <condition_variable>
#include <map>
#include <mutex>

#include "pipeline/action.h"

namespace frostline::exec {

/// Tensors on their way between the stages of one process, tagged by (kind, stage, micro-batch) of
/// the receive, so that no two are mistaken for each other. Any thread may call anything.
class HandOver {
 public:
  /// Never blocks. Each tag is on its way once at a time (asserted).
  void put(const pipeline::Step& receive, at::Tensor tensor);
  /// Blocks until the tensor is there. Throws Aborted if the run was given up meanwhile.
  at::Tensor take(const pipeline::Step& receive);
  /// Wakes everybody who waits, and who will: another rank has failed. For good.
  void abort();

  struct Aborted {};

 private:
  std::mutex mutex_;
  std::condition_variable arrived_;
  std::map<pipeline::Step, at::Tensor> waiting_;
  bool aborted_ = false;
};

}  // namespace frostline::exec
