#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/bytes.h"
#include "base/document.h"
#include "base/time.h"
#include "pipeline/schedule.h"

namespace frostline::pipeline {

/// What the heuristics know of one stage, for one micro-batch.
struct StageFigures {
  base::Duration forward;
  base::Duration input_gradient;
  base::Duration weight_gradient;
  base::Bytes activation;            ///< held from F
  base::Bytes after_input_gradient;  ///< the part of it still held between I and W
};

/// What a schedule is made from. Only the schedules that search for an order look beyond the shape.
struct ScheduleRequest {
  ScheduleRequest(const PipelineShape& sizes) : shape(sizes) {}  // NOLINT: a shape is a request
  ScheduleRequest(int ranks, int chunks, int micro_batches) : shape{ranks, chunks, micro_batches} {}

  PipelineShape shape;
  /// One a stage; empty: all times equal, and half of an activation is held between I and W.
  std::vector<StageFigures> stages;
  base::Duration send{};  ///< delay of a transfer between ranks
  /// What a rank may hold of activations, in multiples of 1F1B's peak (ranks x one micro-batch's);
  /// 0: the schedule's own.
  double memory_limit = 0;
};

/// One way to order the micro-batches of a step. Each lives in a file of its own beside this one.
struct ScheduleKind {
  std::string_view name;         ///< as in the scenario: "1f1b"
  std::string_view description;  ///< one line
  /// Nothing if the schedule can run with this shape; else the rule, the numbers and the nearest
  /// that works.
  std::optional<std::string> (*refuse)(const PipelineShape& shape);
  /// Computations only; sends and receives are placed by `lower`.
  Schedule (*make)(const ScheduleRequest& request);
  std::string_view shapes = "chunks = 1";  ///< those it takes, in words
  /// One entry a stage.
  std::vector<Rank> (*place)(const PipelineShape& shape) = looped_placement;
  double memory_limit = 0;  ///< its own; 0: it looks for no order within one
};

std::span<const ScheduleKind> schedule_kinds();
base::Words schedule_names();
/// nullptr if there is none of that name.
const ScheduleKind* find_schedule(std::string_view name);
/// Nothing if the schedule (nullptr: one that was not made here) takes the request's memory limit.
/// 0, its own, it always takes; any other has to admit a micro-batch a rank.
std::optional<std::string> refuse_memory_limit(const ScheduleKind* kind,
                                               const ScheduleRequest& request);
/// The schedule of that name. Throws base::Error if there is none or it refuses the shape or limit.
Schedule make_schedule(std::string_view name, const ScheduleRequest& request);

}  // namespace frostline::pipeline
