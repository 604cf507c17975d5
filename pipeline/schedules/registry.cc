#include "pipeline/schedules/registry.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "base/nearest.h"
#include "pipeline/schedules/dualpipe_v.h"
#include "pipeline/schedules/gpipe.h"
#include "pipeline/schedules/interleaved_1f1b.h"
#include "pipeline/schedules/interleaved_zb.h"
#include "pipeline/schedules/looped_bfs.h"
#include "pipeline/schedules/one_f_one_b.h"
#include "pipeline/schedules/zb_1p.h"
#include "pipeline/schedules/zb_2p.h"
#include "pipeline/schedules/zb_h1.h"
#include "pipeline/schedules/zb_h2.h"
#include "pipeline/schedules/zb_v.h"

namespace frostline::pipeline {
namespace {

/// What no schedule can be made for.
std::optional<std::string> refuse_size(const PipelineShape& shape) {
  if (std::min({shape.ranks, shape.chunks, shape.micro_batches}) >= 1) return std::nullopt;
  return fmt::format("ranks = {}, chunks = {}, micro_batches = {}; use at least 1 of each",
                     shape.ranks, shape.chunks, shape.micro_batches);
}

/// "zb_1p or zb_2p"
std::string limited_names() {
  base::Words names;
  for (const ScheduleKind& kind : schedule_kinds()) {
    if (kind.memory_limit > 0) names.emplace_back(kind.name);
  }
  return fmt::format("{}", fmt::join(names, " or "));
}

}  // namespace

std::span<const ScheduleKind> schedule_kinds() {
  static const std::array kKinds{
      kGPipe, kOneFOneB, kInterleaved1F1B, kLoopedBfs, kZbH1, kZbH2, kZb1p,
      kZb2p,  kZbV,      kInterleavedZb,   kDualPipeV};
  return kKinds;
}

base::Words schedule_names() {
  base::Words names;
  for (const ScheduleKind& kind : schedule_kinds()) names.emplace_back(kind.name);
  return names;
}

const ScheduleKind* find_schedule(std::string_view name) {
  for (const ScheduleKind& kind : schedule_kinds()) {
    if (kind.name == name) return &kind;
  }
  return nullptr;
}

std::optional<std::string> refuse_memory_limit(const ScheduleKind* kind,
                                               const ScheduleRequest& request) {
  const double limit = request.memory_limit;
  if (limit == 0) return std::nullopt;
  if (kind == nullptr || kind->memory_limit == 0) {
    return fmt::format("it searches for no order within a memory limit; use 0, or the schedule {}",
                       limited_names());
  }
  const int ranks = request.shape.ranks;
  if (limit * ranks >= 1) return std::nullopt;
  return fmt::format(
      "a rank has to hold one micro-batch, but memory_limit = {} with ranks = {} is {:.3g} of one; "
      "use at least {}",
      limit, ranks, limit * ranks, std::ceil(1000.0 / ranks) / 1000);
}

Schedule make_schedule(std::string_view name, const ScheduleRequest& request) {
  const ScheduleKind* kind = find_schedule(name);
  if (kind == nullptr) {
    const base::Words names = schedule_names();
    throw base::Error(fmt::format("there is no schedule '{}'; use one of {}{}", name,
                                  fmt::join(names, ", "), base::did_you_mean(name, names)));
  }
  auto refusal = refuse_size(request.shape);
  if (!refusal) refusal = kind->refuse(request.shape);
  if (!refusal) refusal = refuse_memory_limit(kind, request);
  if (refusal) throw base::Error(fmt::format("schedule '{}' cannot run: {}", name, *refusal));
  return kind->make(request);
}

}  // namespace frostline::pipeline
