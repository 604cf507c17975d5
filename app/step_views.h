#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "app/run_observer.h"
#include "app/step_detail.h"
#include "app/verb.h"
#include "pipeline/critical_path.h"

namespace frostline::app {

/// --trace, --timeline, --color, --critical-path.
void add_step_view_options(CLI::App& command, Arguments& arguments);

/// A trace of the first step that was run with each plan, at its time on the run's clock. Throws
/// base::Error if the file cannot be written.
void write_trace(const std::filesystem::path& file, const Scenario& scenario,
                 const cost::ModelCost& cost, const std::vector<PlanStart>& plans);

/// What the command line asks to see of the step that runs under a mask: a picture of its timeline
/// (also unasked for on a terminal, unless it has very many computations), its critical path.
class StepViews {
 public:
  StepViews(const Arguments& arguments, const Scenario& scenario, const cost::ModelCost& cost,
            const pipeline::FreezeMask& mask);

  std::string text() const;
  /// Adds "critical_path" to a summary if it was asked for. Pictures are for people.
  void add_to(nlohmann::json& summary) const;

 private:
  std::string path_text() const;

  std::optional<StepDetail> detail_;  // if anything is to be shown
  std::optional<pipeline::CriticalPath> path_;
  bool picture_ = false;
  bool color_ = false;
};

}  // namespace frostline::app
