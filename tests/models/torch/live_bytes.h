#pragma once

#include <c10/core/Allocator.h>
#include <c10/util/ThreadLocalDebugInfo.h>

#include <cstdint>
#include <memory>

namespace frostline::models {

/// While it lives, counts the bytes that LibTorch allocates and frees on the CPU on this thread.
class LiveBytes {
 public:
  /// Allocated since the construction and not freed yet.
  std::int64_t count() const { return counter_->bytes; }

 private:
  struct Counter : c10::MemoryReportingInfoBase {
    void reportMemoryUsage(void*, std::int64_t size, std::size_t, std::size_t,
                           c10::Device) override {
      bytes += size;
    }
    bool memoryProfilingEnabled() const override { return true; }

    std::int64_t bytes = 0;
  };

  std::shared_ptr<Counter> counter_ = std::make_shared<Counter>();
  c10::DebugInfoGuard guard_{c10::DebugInfoKind::PROFILER_STATE, counter_};
};

}  // namespace frostline::models
