#include "app/step_views.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>

#include "app/critical_path_text.h"
#include "app/terminal.h"
#include "app/timeline_picture.h"
#include "app/trace.h"

namespace frostline::app {
namespace {

/// More are drawn only when asked for: a picture takes a second simulation of the step.
constexpr std::int64_t kMostDrawn = 100'000;

bool draws_picture(const Arguments& arguments, const Scenario& scenario) {
  if (arguments.json) return false;
  const std::int64_t visits =
      std::int64_t{scenario.pipeline.shape().stages()} * scenario.pipeline.micro_batches;
  return arguments.timeline || (stdout_is_terminal() && visits <= kMostDrawn);
}

}  // namespace

void add_step_view_options(CLI::App& command, Arguments& arguments) {
  command.add_flag("--timeline", arguments.timeline,
                   "Draw the timeline of the last step also where stdout is no terminal");
  add_color_option(command, arguments);
  command.add_flag("--critical-path", arguments.critical_path,
                   "Print the critical path of the last step and the slack of each rank");
  command
      .add_option("--trace", arguments.trace,
                  "Write the first step with each plan as a Chrome trace, for ui.perfetto.dev")
      ->type_name("FILE.json");
}

void write_trace(const std::filesystem::path& file, const Scenario& scenario,
                 const cost::ModelCost& cost, const std::vector<PlanStart>& plans) {
  TraceFile trace(file, scenario.general.name, scenario.pipeline.shape().ranks);
  for (const auto& plan : plans)
    trace.add(StepDetail(scenario, cost, plan.mask), plan.step, plan.time);
  trace.finish();
}

StepViews::StepViews(const Arguments& arguments, const Scenario& scenario,
                     const cost::ModelCost& cost, const pipeline::FreezeMask& mask)
    : picture_(draws_picture(arguments, scenario)), color_(use_color(arguments.color)) {
  if (!picture_ && !arguments.critical_path) return;
  detail_.emplace(scenario, cost, mask);
  if (arguments.critical_path)
    path_ = pipeline::critical_path(pipeline::schedule_graph(detail_->schedule, detail_->times),
                                    detail_->schedule.shape.ranks);
}

std::string StepViews::text() const {
  std::string text;
  if (picture_) {
    const auto frozen = [&](const pipeline::Step& step) { return detail_->is_frozen(step); };
    text += "\n" + timeline_picture(detail_->step.timeline, {terminal_width(), color_, frozen});
  }
  if (path_) text += "\n" + path_text();
  return text;
}

/// The graph knows what an action waits for, not what waits for a link.
std::string StepViews::path_text() const {
  std::string text = critical_path_text(*path_);
  const auto makespan = detail_->step.timeline.makespan();
  if (makespan != path_->makespan())
    text += fmt::format(
        "The step took {:.3f} ms: the rest went into waiting for links that others used, which the "
        "path does not show.\n",
        base::to_ms(makespan));
  return text;
}

void StepViews::add_to(nlohmann::json& summary) const {
  if (path_) summary["critical_path"] = critical_path_json(*path_);
}

}  // namespace frostline::app
