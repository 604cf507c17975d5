#pragma once

#include "pipeline/plan.h"

namespace frostline::exec {

/// The plan's pipeline with forwards only: `batches` of them through every stage, transfers
/// included.
pipeline::Schedule forward_schedule(const pipeline::Plan& plan, int batches);

}  // namespace frostline::exec
