#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "pipeline/critical_path.h"

namespace frostline::app {

/// {"time_ms", "transfer_ms", "steps": [{"rank", "action", "transfer_ms", "start_ms", "end_ms"}],
/// "ranks": [{"rank", "time_ms", "steps", "least_slack_ms", "mean_slack_ms", "critical",
/// "computations"}]}, with every step of the path.
nlohmann::json critical_path_json(const pipeline::CriticalPath& path);

/// For people: the path, of a long one its first and last steps, and what each rank has to do with
/// it.
std::string critical_path_text(const pipeline::CriticalPath& path);

}  // namespace frostline::app
