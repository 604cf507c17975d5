#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "app/sweep.h"

namespace frostline::app {

/// A sweep as one table, a combination a line. The fastest are marked: those with the least time
/// for a micro-batch, or for a sample where all have a model, over their whole runs. What could not
/// run shows why.
std::string sweep_text(const Sweep& sweep);

/// {"vary": [{"key", "values"}], "measure": "ms_per_micro_batch" or "ms_per_sample", "interrupted",
/// "combinations": [{"values", "best", measure, "summary"} or {"values", "reason"}]}.
nlohmann::json sweep_json(const Sweep& sweep);

}  // namespace frostline::app
