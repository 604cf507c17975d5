#pragma once

#include "pipeline/schedules/registry.h"

namespace frostline::pipeline {

/// The warm-up of 1F1B, min(ranks - 1 - s, m) forwards, then a forward and an input gradient in
/// turn; the weight gradients follow s micro-batches behind, and those that are left at the end.
/// Holds on rank s at most ranks - s whole activations and s that wait for W: never more than
/// 1F1B's first rank (Qi et al. 2023, arXiv 2401.10241, section 2.1).
extern const ScheduleKind kZbH1;

}  // namespace frostline::pipeline
