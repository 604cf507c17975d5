#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

#include "app/json_list_file.h"
#include "app/step_detail.h"

namespace frostline::app {

/// A Chrome trace (the JSON of the Trace Event Format) that ui.perfetto.dev and chrome://tracing
/// open: ranks are threads, computations complete events, transfers flows from the computation that
/// makes a tensor to the one that needs it; counters show the activations that each rank holds, in
/// bytes, and the frozen share in percent. Times are virtual, in microseconds, exact to the
/// nanosecond.
class TraceFile {
 public:
  /// Throws base::Error if the file cannot be written, here and in the calls below.
  TraceFile(const std::filesystem::path& file, const std::string& name, int ranks);
  /// Adds one step, the run's `number`th, that began at `start` on the run's clock.
  void add(const StepDetail& detail, std::int64_t number, base::Duration start);
  void finish();

 private:
  JsonListFile events_;
  std::int64_t flows_ = 0;  // ids given to transfers so far
};

}  // namespace frostline::app
