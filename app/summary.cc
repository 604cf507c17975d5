#include "app/summary.h"

#include <fmt/core.h>

#include <algorithm>
#include <functional>
#include <optional>

#include "app/best.h"
#include "app/table.h"
#include "policy/median.h"

namespace frostline::app {
namespace {

using nlohmann::json;

json median_or_null(const std::deque<double>& values) {
  if (values.empty()) return nullptr;
  return policy::median({values.begin(), values.end()});
}

std::string ending_text(policy::Ending ending) {
  switch (ending) {
    case policy::Ending::kBudgetUsed:
      return "budget used";
    case policy::Ending::kInterrupted:
      return "interrupted";
    case policy::Ending::kEverythingFrozen:
      return "everything frozen";
  }
  return {};
}

json budget_json(const policy::TrainSettings& train, const pipeline::Budget& budget) {
  json value = {{"kind", train.budget},
                {"used_s", base::to_seconds(budget.used_time)},
                {"share", budget.share()}};
  if (train.budget == "time")
    value["time_s"] = train.time_s;
  else
    value["steps"] = train.steps;
  return value;
}

std::string number(const json& value, int digits, const std::string& unit = "") {
  return value.is_number() ? fmt::format("{:.{}f}{}", value.get<double>(), digits, unit) : "-";
}

std::string percent(const json& share) {
  return share.is_number() ? fmt::format("{:.1f} %", 100 * share.get<double>()) : "-";
}

std::string measure_name(const json& summary, const char* part) {
  const std::string name = summary.at("measure").at("name");
  return name.empty() ? std::string("score") : fmt::format("{} ({})", name, part);
}

std::string score_text(const json& summary, const char* key) {
  if (!summary.contains(key) || !summary[key].is_number()) return "-";
  return number(summary[key], 3, " " + summary.at("measure").at("unit").get<std::string>());
}

std::string budget_text(const json& budget) {
  return budget.at("kind") == "time"
             ? fmt::format("{:g} s", budget.at("time_s").get<double>())
             : fmt::format("{} steps", budget.at("steps").get<std::int64_t>());
}

using Row = std::vector<std::string>;

Row row(const std::string& label, const std::vector<json>& summaries,
        const std::function<std::string(const json&)>& cell) {
  Row cells{label};
  for (const auto& summary : summaries) cells.push_back(cell(summary));
  return cells;
}

/// A row in which no run has anything to show.
bool is_empty(const Row& row) {
  return std::all_of(row.begin() + 1, row.end(), [](const auto& cell) { return cell == "-"; });
}

bool same_measure(const std::vector<json>& summaries) {
  return std::all_of(summaries.begin(), summaries.end(), [&](const json& summary) {
    return summary.at("measure") == summaries.front().at("measure");
  });
}

/// Which runs have the best final score; none where they cannot be compared by it.
std::vector<bool> best_runs(const std::vector<json>& summaries) {
  const std::vector<bool> none(summaries.size(), false);
  if (!same_measure(summaries)) return none;
  const double sign = summaries.front().at("measure").at("lower_is_better").get<bool>() ? 1 : -1;
  std::vector<std::optional<double>> costs;
  for (const auto& summary : summaries) {
    const auto score = summary.value("test_score", json());
    if (!score.is_number()) return none;
    costs.emplace_back(sign * score.get<double>());
  }
  return lowest(costs);
}

std::vector<Row> result_rows(const std::vector<json>& all) {
  const auto best = best_runs(all);
  const bool any = std::find(best.begin(), best.end(), true) != best.end();
  std::size_t column = 0;
  return {row(measure_name(all.front(), "test"), all,
              [&](const json& s) {
                return score_text(s, "test_score") + (best.at(column++) ? " *" : any ? "  " : "");
              }),
          row(measure_name(all.front(), "validation"), all,
              [](const json& s) { return score_text(s, "score"); }),
          row("steps done", all,
              [](const json& s) { return std::to_string(s.at("steps").get<std::int64_t>()); }),
          row("step time at the start", all,
              [](const json& s) { return number(s.at("step_time_start_ms"), 3, " ms"); }),
          row("step time at the end", all,
              [](const json& s) { return number(s.at("step_time_ms"), 3, " ms"); }),
          row("frozen share", all, [](const json& s) { return percent(s.at("frozen_share")); }),
          row("frost line", all, [](const json& s) {
            return fmt::format("{} of {} layers", s.at("frost_line").get<int>(),
                               s.at("layers").get<int>());
          })};
}

std::vector<Row> budget_rows(const std::vector<json>& all) {
  return {
      row("freeze policy", all, [](const json& s) { return s.at("policy").get<std::string>(); }),
      row("seed", all,
          [](const json& s) { return std::to_string(s.at("seed").get<std::int64_t>()); }),
      row("budget", all, [](const json& s) { return budget_text(s.at("budget")); }),
      row("budget used", all, [](const json& s) { return percent(s.at("budget").at("share")); }),
      row("clock", all, [](const json& s) { return s.at("clock").get<std::string>(); }),
      row("validations' part", all,
          [](const json& s) { return percent(s.at("validation_share")); }),
      row("ended by", all, [](const json& s) { return s.at("ending").get<std::string>(); })};
}

}  // namespace

void StepTimes::add(double ms) {
  if (first.size() < kKept) first.push_back(ms);
  last.push_back(ms);
  if (last.size() > kKept) last.pop_front();
}

json summarise(const Scenario& scenario, const StepTimes& times, const policy::Outcome& outcome,
               const pipeline::Measure& measure) {
  const auto used = base::to_seconds(outcome.budget.used_time);
  return {{"name", scenario.general.name},
          {"policy", scenario.freeze.policy},
          {"seed", scenario.general.seed},
          {"budget", budget_json(scenario.train, outcome.budget)},
          {"clock", scenario.train.clock},
          {"ending", ending_text(outcome.ending)},
          {"steps", outcome.budget.used_steps},
          {"total_time_s", used},
          {"step_time_start_ms", median_or_null(times.first)},
          {"step_time_ms", median_or_null(times.last)},
          {"measure",
           {{"name", measure.name},
            {"unit", measure.unit},
            {"lower_is_better", measure.lower_is_better}}},
          {"score", outcome.score ? json(measure.shown(*outcome.score)) : json(nullptr)},
          {"frozen_share", pipeline::frozen_share(scenario.units, outcome.mask)},
          {"frost_line", pipeline::frost_line(scenario.units, outcome.mask)},
          {"layers", scenario.layers()},
          {"freezes", outcome.freezes},
          {"judging_steps", outcome.judging_steps},
          {"validation_share", used > 0 ? base::to_seconds(outcome.validation_time) / used : 0.0}};
}

std::string summary_text(const json& summary) { return comparison_text({summary}); }

std::string comparison_text(const std::vector<json>& summaries) {
  std::vector<Row> rows{
      row("", summaries, [](const json& s) { return s.at("name").get<std::string>(); })};
  for (auto& more : budget_rows(summaries)) rows.push_back(std::move(more));
  for (auto& more : result_rows(summaries)) rows.push_back(std::move(more));
  if (summaries.size() > 1)
    rows.push_back(row("files", summaries, [](const json& s) { return s.value("folder", "-"); }));
  std::erase_if(rows, is_empty);
  return format_table(rows);
}

}  // namespace frostline::app
