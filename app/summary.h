#pragma once

#include <deque>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "app/scenario.h"
#include "pipeline/world.h"
#include "policy/training_loop.h"

namespace frostline::app {

/// The times of a run's first and last steps, in milliseconds: all that a summary needs of them.
struct StepTimes {
  static constexpr std::size_t kKept = 20;

  void add(double ms);

  std::deque<double> first;
  std::deque<double> last;
};

/// What a run came to: the JSON of summary.json. "step_time_ms" is the median over
/// the last 20 steps, "step_time_start_ms" over the first 20. Scores stand under "measure" with the
/// measure's own sign.
nlohmann::json summarise(const Scenario& scenario, const StepTimes& times,
                         const policy::Outcome& outcome, const pipeline::Measure& measure);

/// The summary for people.
std::string summary_text(const nlohmann::json& summary);

/// Several runs' summaries side by side, one column a run. The best scores are marked if all have
/// the same measure and some differ.
std::string comparison_text(const std::vector<nlohmann::json>& summaries);

}  // namespace frostline::app
