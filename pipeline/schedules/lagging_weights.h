#pragma once

#include "pipeline/schedules/kind_order.h"

namespace frostline::pipeline {

/// The order that the handcrafted zero-bubble schedules have in common, one stage a rank:
/// `depth` (ranks - 1 - s) forwards to warm up rank s, then a forward and an input gradient in
/// turn, with each weight gradient `depth` s input gradients behind its own; what is left of them
/// at the end.
KindOrder lagging_weights(const PipelineShape& shape, int depth);

}  // namespace frostline::pipeline
