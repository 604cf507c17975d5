#include "pipeline/schedules/unchunked.h"

#include <fmt/format.h>

namespace frostline::pipeline {

std::optional<std::string> refuse_chunks(std::string_view name, const PipelineShape& shape) {
  if (shape.chunks == 1) return std::nullopt;
  return fmt::format("{} holds one stage a rank, but chunks = {}; use chunks = 1", name,
                     shape.chunks);
}

}  // namespace frostline::pipeline
