#pragma once

#include "pipeline/plan.h"
#include "pipeline/units.h"

namespace frostline::exec {

/// Throws base::Error for what the executor cannot run, with the change to make: another number of
/// ranks than it has threads, tied units, a split backward, replicas, a cut that computes gradients
/// nobody uses.
/// `executable` is the plan's schedule after freezing.
void check_plan(const pipeline::Plan& plan, const pipeline::Schedule& executable,
                const pipeline::UnitTable& units, int ranks);

/// Throws base::Error if going from one plan to the other moves layers between ranks.
void check_same_placement(const pipeline::Plan& before, const pipeline::Plan& after);

}  // namespace frostline::exec
