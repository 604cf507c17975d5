#include "pipeline/schedules/depth_first.h"

#include <fmt/format.h>

#include <algorithm>

namespace frostline::pipeline {
namespace {

int rounds(int ranks, int micro_batches) { return std::max(1, micro_batches / ranks); }

bool fits(int ranks, int micro_batches) {
  return micro_batches % rounds(ranks, micro_batches) == 0;
}

/// The next number that fits, upwards or downwards. A multiple of the ranks always does.
int nearest(const PipelineShape& shape, int direction) {
  int micro_batches = shape.micro_batches;
  while (!fits(shape.ranks, micro_batches)) micro_batches += direction;
  return micro_batches;
}

}  // namespace

DepthFirst::DepthFirst(const PipelineShape& shape, Rank rank)
    : shape_(shape),
      rank_(rank),
      round_(shape.micro_batches / rounds(shape.ranks, shape.micro_batches)) {}

int DepthFirst::warm_up(int a_rank) const {
  const int ranks_behind = shape_.ranks - 1 - rank_.value;
  return std::min((shape_.chunks - 1) * round_ + a_rank * ranks_behind, turns());
}

std::optional<std::string> refuse_rounds(std::string_view name, const PipelineShape& shape) {
  if (fits(shape.ranks, shape.micro_batches)) return std::nullopt;
  return fmt::format(
      "{} takes the micro-batches in micro_batches / ranks (rounded down) rounds of equal size, "
      "but "
      "micro_batches = {} with ranks = {} is not a multiple of {}; use micro_batches = {} or {}",
      name, shape.micro_batches, shape.ranks, rounds(shape.ranks, shape.micro_batches),
      nearest(shape, -1), nearest(shape, 1));
}

}  // namespace frostline::pipeline
