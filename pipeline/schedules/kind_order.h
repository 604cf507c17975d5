#pragma once

#include <string_view>
#include <vector>

#include "pipeline/schedules/registry.h"

namespace frostline::pipeline {

/// For each rank, which has one stage, the kinds of its F, I and W in order. The micro-batches of a
/// kind follow in ascending order, so that the kinds say all: what a search can afford to write
/// down for each of its attempts.
using KindOrder = std::vector<std::vector<ActionKind>>;

Schedule schedule_of(std::string_view name, const PipelineShape& shape, const KindOrder& order);

/// The longest rank's last end - its first start, with the stages' figures of the request. The
/// order ends (asserted).
base::Duration cost_of(const KindOrder& order, const ScheduleRequest& request);

/// The most that a rank holds of activations at a time.
base::Bytes peak_held(const std::vector<ActionKind>& order, const StageFigures& stage);

}  // namespace frostline::pipeline
