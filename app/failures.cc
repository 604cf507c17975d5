#include "app/failures.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/time.h"
#include "cost/long_run.h"
#include "cost/stage_cost.h"

namespace frostline::app {
namespace {

using base::Duration;
using nlohmann::json;

Duration from_s(double seconds) { return Duration(std::llround(seconds * 1e9)); }

/// The work between two checkpoints.
Duration interval(Duration work, std::int64_t steps, std::int64_t every) {
  __extension__ using Wide = __int128;
  if (every == 0 || every >= steps) return work;
  const auto part = static_cast<Duration::rep>(Wide{work.count()} * every / steps);
  return std::max(Duration(part), Duration(1));
}

cost::LongRun long_run(const Scenario& scenario, const cost::ModelCost& cost,
                       const FinishedRun& run) {
  const pipeline::Budget& used = run.outcome.budget;
  const auto devices = scenario.pipeline.ranks * scenario.pipeline.replicas;
  cost::LongRun figures;
  figures.work = used.used_time - run.checkpoint_time;
  figures.interval = interval(figures.work, used.used_steps, scenario.train.checkpoint_every);
  figures.checkpoint = cost::rounded(cost.checkpoint_ns);
  figures.detection = from_s(scenario.cluster.failure_detection_s);
  figures.restart = from_s(scenario.cluster.failure_restart_s) + figures.checkpoint;
  figures.mtbf_s = cost::job_mtbf_s(scenario.cluster, devices);
  return figures;
}

}  // namespace

json failure_json(const Scenario& scenario, const cost::ModelCost& cost, const FinishedRun& run) {
  const bool ran = run.outcome.budget.used_time > run.checkpoint_time;
  if (scenario.cluster.failure_mtbf_h == 0 || !ran) return json::object();
  const cost::LongRun figures = long_run(scenario, cost, run);
  const auto best = cost::best_interval(figures);
  return {{"expected_time_s", base::to_seconds(cost::expected_time(figures))},
          {"goodput", cost::goodput(figures)},
          {"best_checkpoint_interval_s", best ? json(base::to_seconds(*best)) : json(nullptr)}};
}

std::string failure_text(const json& summary) {
  if (!summary.contains("expected_time_s")) return "";
  const json& best = summary.at("best_checkpoint_interval_s");
  return fmt::format(
      "With failures: expected time {}, of it {:.1f} % useful; best interval between checkpoints: "
      "{}.\n",
      base::to_text(from_s(summary["expected_time_s"].get<double>())),
      100 * summary["goodput"].get<double>(),
      best.is_null() ? "as short as can be, as they cost nothing"
                     : base::to_text(from_s(best.get<double>())));
}

}  // namespace frostline::app
