#include "app/critical_path_text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>
#include <span>
#include <utility>
#include <vector>

#include "app/table.h"

namespace frostline::app {
namespace {

using base::Duration;
using nlohmann::json;
using pipeline::CriticalPath;
using pipeline::CriticalStep;
using pipeline::Rank;

/// A longer path is shown by so many steps at each end.
constexpr std::size_t kShownEnd = 12;
constexpr std::size_t kLongestShown = 30;

Duration transfer_time(const CriticalPath& path) {
  Duration sum{};
  for (const auto& step : path.steps) sum += step.transfer;
  return sum;
}

auto transfers(const CriticalPath& path) {
  return std::count_if(path.steps.begin(), path.steps.end(),
                       [](const CriticalStep& step) { return step.transfer > Duration::zero(); });
}

json step_json(const CriticalStep& step) {
  return {{"rank", step.span.rank.value},
          {"action", to_text(step.span.action)},
          {"transfer_ms", base::to_ms(step.transfer)},
          {"start_ms", base::to_ms(step.span.start)},
          {"end_ms", base::to_ms(step.span.end)}};
}

json rank_json(const CriticalPath& path, Rank rank) {
  const auto& slack = path.slack.at(rank.index());
  return {{"rank", rank.value},
          {"time_ms", base::to_ms(path.time_on(rank))},
          {"steps", path.steps_on(rank)},
          {"least_slack_ms", base::to_ms(slack.least)},
          {"mean_slack_ms", base::to_ms(slack.mean)},
          {"critical", slack.critical},
          {"computations", slack.computations}};
}

std::string in_ms(Duration time) { return fmt::format("{:.3f}", base::to_ms(time)); }

using Row = std::vector<std::string>;

Row step_row(const CriticalStep& step) {
  return {std::to_string(step.span.rank.value), to_text(step.span.action), in_ms(step.span.start),
          in_ms(step.span.end),
          step.transfer > Duration::zero() ? "after a transfer of " + in_ms(step.transfer) : ""};
}

/// "... 33 more computations, on 7 ranks, from 12.5 ms to 98.1 ms ..."
std::string left_out_text(std::span<const CriticalStep> steps) {
  std::set<int> ranks;
  for (const auto& step : steps) ranks.insert(step.span.rank.value);
  return fmt::format("... {} more computations, on {} rank{}, from {} ms to {} ms ...",
                     steps.size(), ranks.size(), ranks.size() == 1 ? "" : "s",
                     in_ms(steps.front().span.start), in_ms(steps.back().span.end));
}

std::string steps_text(std::span<const CriticalStep> steps) {
  const bool is_long = steps.size() > kLongestShown;
  const std::size_t head = is_long ? kShownEnd : steps.size();
  const std::size_t tail = is_long ? kShownEnd : 0;
  std::vector<Row> rows{{"rank", "action", "start ms", "end ms", ""}};
  for (const auto& step : steps.first(head)) rows.push_back(step_row(step));
  for (const auto& step : steps.last(tail)) rows.push_back(step_row(step));
  auto lines = table_lines(rows);
  if (is_long)
    lines.insert(lines.begin() + 1 + static_cast<std::ptrdiff_t>(head),
                 left_out_text(steps.subspan(head, steps.size() - head - tail)));
  return fmt::format("{}\n", fmt::join(lines, "\n"));
}

std::string ranks_text(const CriticalPath& path) {
  std::vector<Row> rows{{"rank", "ms on the path", "computations on it", "without slack",
                         "least slack ms", "mean slack ms"}};
  for (const Rank rank : base::ids<Rank>(static_cast<int>(path.slack.size()))) {
    const auto& slack = path.slack[rank.index()];
    rows.push_back({std::to_string(rank.value), in_ms(path.time_on(rank)),
                    std::to_string(path.steps_on(rank)),
                    fmt::format("{} of {}", slack.critical, slack.computations), in_ms(slack.least),
                    in_ms(slack.mean)});
  }
  return format_table(rows);
}

}  // namespace

json critical_path_json(const CriticalPath& path) {
  json steps = json::array();
  for (const auto& step : path.steps) steps.push_back(step_json(step));
  json ranks = json::array();
  for (const Rank rank : base::ids<Rank>(static_cast<int>(path.slack.size())))
    ranks.push_back(rank_json(path, rank));
  return {{"time_ms", base::to_ms(path.makespan())},
          {"transfer_ms", base::to_ms(transfer_time(path))},
          {"steps", std::move(steps)},
          {"ranks", std::move(ranks)}};
}

std::string critical_path_text(const CriticalPath& path) {
  return fmt::format(
      "Critical path: {} computations in {} ms, {} ms of it in {} transfers.\n{}\n"
      "Slack: how much later a computation could end without lengthening the step.\n{}",
      path.steps.size(), in_ms(path.makespan()), in_ms(transfer_time(path)), transfers(path),
      steps_text(path.steps), ranks_text(path));
}

}  // namespace frostline::app
