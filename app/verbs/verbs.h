#pragma once

#include "app/verb.h"

namespace frostline::app {

extern const Verb kCheck;
extern const Verb kSimulate;
extern const Verb kTrain;
extern const Verb kProfile;
extern const Verb kCompare;
extern const Verb kDocument;

}  // namespace frostline::app
