#pragma once

#include <boost/container/static_vector.hpp>

#include "pipeline/step_places.h"

namespace frostline::pipeline {

using Steps = boost::container::static_vector<Step, 2>;

/// The computations whose results a computation needs. A backward needs its stage's forward and, if
/// the stage is not the last, the input gradient of the next stage: I where `places` has one, else
/// B.
Steps inputs_of(const Step& computation, const StepPlaces& places, StageId last_stage);

/// The send of what a computation hands to a neighbour: F sends forward, B and I backward.
Step send_of(const Step& computation);
/// The receive of a send.
Step receive_of(const Step& send);
/// The send of a receive.
Step send_for(const Step& receive);

}  // namespace frostline::pipeline
