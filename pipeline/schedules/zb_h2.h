#pragma once

#include "pipeline/schedules/registry.h"

namespace frostline::pipeline {

/// min(2(ranks - 1 - s), m) forwards to warm up, then a forward and an input gradient in turn; the
/// weight gradients follow 2s micro-batches behind, and those that are left at the end. With
/// m >= 2 ranks - 1 and F = I = W no rank waits between its first and its last computation; but the
/// ranks end staggered, so that a step that has to wait for all of them gains nothing over zb_h1.
/// Holds on rank s at most 2(ranks - s) - 1 whole activations and 2s that wait for W (Qi et al.
/// 2023, arXiv 2401.10241, section 2.2).
extern const ScheduleKind kZbH2;

}  // namespace frostline::pipeline
