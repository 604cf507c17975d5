#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "policy/training_loop.h"

namespace frostline::app {

/// The events of a run as JSON objects, one a line in the run's log. Each has "event": start, step,
/// validation, decision, checkpoint or message. Times are in milliseconds, shares 0..1.
nlohmann::json start_event(const pipeline::UnitTable& units, const pipeline::FreezeMask& mask,
                           std::int64_t judging_step);
nlohmann::json step_event(const pipeline::StepRecord& step);
nlohmann::json validation_event(const policy::ValidationRecord& record);
nlohmann::json decision_event(const policy::DecisionRecord& record,
                              const pipeline::UnitTable& units);
nlohmann::json checkpoint_event(std::int64_t step, base::Duration cost);
nlohmann::json message_event(const std::string& text);

/// The optimizer steps that were done when the event happened; 0 for the start.
std::int64_t step_of(const nlohmann::json& event);

}  // namespace frostline::app
