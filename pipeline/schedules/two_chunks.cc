#include "pipeline/schedules/two_chunks.h"

#include <fmt/format.h>

namespace frostline::pipeline {

std::optional<std::string> refuse_other_than_two_chunks(std::string_view name,
                                                        const PipelineShape& shape) {
  if (shape.chunks == 2) return std::nullopt;
  return fmt::format("{} holds two stages a rank, but chunks = {}; use chunks = 2", name,
                     shape.chunks);
}

std::vector<Rank> place_in_v(const PipelineShape& shape) { return v_placement(shape.ranks); }

StagePair stage_pair(const PipelineShape& shape, Rank rank) {
  return {{rank.value}, {2 * shape.ranks - 1 - rank.value}};
}

}  // namespace frostline::pipeline
