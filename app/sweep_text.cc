#include "app/sweep_text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "app/best.h"
#include "app/table.h"
#include "base/bytes.h"

namespace frostline::app {
namespace {

using nlohmann::json;

bool ran(const Combination& combination) { return !combination.summary.is_null(); }

/// What a step works off, and in what it is counted.
struct Measure {
  const char* key;      ///< of the summary
  const char* name;     ///< in JSON
  const char* heading;  ///< in the table

  /// Mean over the run; absent if it took no step.
  std::optional<double> of(const Combination& combination) const {
    if (!ran(combination)) return std::nullopt;
    const auto& summary = combination.summary;
    const auto units = summary.at("steps").get<double>() * summary.at(key).get<double>();
    if (units == 0) return std::nullopt;
    return 1e3 * summary.at("total_time_s").get<double>() / units;
  }
};

/// Steps may have unequal numbers of micro-batches; micro-batches of a model, of samples.
Measure measure_of(const Sweep& sweep) {
  const bool samples =
      std::all_of(sweep.combinations.begin(), sweep.combinations.end(),
                  [](const auto& c) { return !ran(c) || c.summary.at("samples").is_number(); });
  const bool any = std::any_of(sweep.combinations.begin(), sweep.combinations.end(), ran);
  if (samples && any) return {"samples", "ms_per_sample", "ms a sample"};
  return {"micro_batches", "ms_per_micro_batch", "ms a micro-batch"};
}

std::vector<bool> best_of(const Sweep& sweep, const Measure& measure) {
  std::vector<std::optional<double>> times;
  for (const auto& combination : sweep.combinations) times.push_back(measure.of(combination));
  return lowest(times);
}

std::int64_t largest_peak(const json& summary) {
  std::int64_t peak = 0;
  for (const auto& rank : summary.at("peak_activation_bytes"))
    peak = std::max(peak, rank.get<std::int64_t>());
  return peak;
}

using Row = std::vector<std::string>;

Row heading(const Sweep& sweep, const Measure& measure) {
  Row row;
  for (const auto& variation : sweep.variations) row.push_back(variation.key);
  for (const char* column : {"ms a step", measure.heading, "bubble rate", "largest peak", "frozen"})
    row.emplace_back(column);
  row.emplace_back("");
  return row;
}

Row figures(const Combination& combination, const Measure& measure, bool best) {
  const auto& summary = combination.summary;
  const auto time = measure.of(combination);
  return {fmt::format("{:.3f}", summary.at("step_time_ms").get<double>()),
          time ? fmt::format("{:.3f}", *time) : "-",
          fmt::format("{:.4f}", summary.at("bubble_rate").get<double>()),
          base::to_text(base::Bytes{largest_peak(summary)}),
          fmt::format("{:.1f} %", 100 * summary.at("frozen_share").get<double>()),
          best ? "*" : ""};
}

/// Reasons begin where the figures of others do.
std::size_t width_of_values(const Sweep& sweep) {
  std::vector<Row> rows(1);
  for (const auto& variation : sweep.variations) rows.front().push_back(variation.key);
  for (const auto& combination : sweep.combinations) rows.push_back(combination.values);
  std::size_t width = 0;
  for (const auto& line : table_lines(rows)) width = std::max(width, line.size());
  return width;
}

/// As JSON has it, or as it was written.
json value_json(const std::string& text) {
  auto value = json::parse(text, nullptr, false);
  return value.is_discarded() ? json(text) : value;
}

json values_json(const Sweep& sweep, const Combination& combination) {
  json values = json::object();
  for (std::size_t i = 0; i < sweep.variations.size(); ++i)
    values[sweep.variations[i].key] = value_json(combination.values[i]);
  return values;
}

json vary_json(const Sweep& sweep) {
  json all = json::array();
  for (const auto& variation : sweep.variations) {
    json values = json::array();
    for (const auto& value : variation.values) values.push_back(value_json(value));
    all.push_back({{"key", variation.key}, {"values", std::move(values)}});
  }
  return all;
}

}  // namespace

std::string sweep_text(const Sweep& sweep) {
  const auto measure = measure_of(sweep);
  const auto best = best_of(sweep, measure);
  std::vector<Row> rows{heading(sweep, measure)};
  for (std::size_t i = 0; i < sweep.combinations.size(); ++i) {
    const auto& combination = sweep.combinations[i];
    rows.push_back(combination.values);
    if (!ran(combination)) continue;
    for (auto& cell : figures(combination, measure, best[i]))
      rows.back().push_back(std::move(cell));
  }
  auto lines = table_lines(rows);
  const auto width = width_of_values(sweep);
  for (std::size_t i = 0; i < sweep.combinations.size(); ++i)
    if (!ran(sweep.combinations[i]))
      lines[i + 1] = fmt::format("{:<{}}  {}", lines[i + 1], width, sweep.combinations[i].reason);
  if (std::find(best.begin(), best.end(), true) != best.end())
    lines.push_back(fmt::format("* least {}", measure.heading));
  return fmt::format("{}\n", fmt::join(lines, "\n"));
}

json sweep_json(const Sweep& sweep) {
  const auto measure = measure_of(sweep);
  const auto best = best_of(sweep, measure);
  json all = json::array();
  for (std::size_t i = 0; i < sweep.combinations.size(); ++i) {
    const auto& combination = sweep.combinations[i];
    json entry = {{"values", values_json(sweep, combination)}};
    if (ran(combination)) {
      const auto time = measure.of(combination);
      entry["best"] = static_cast<bool>(best[i]);
      entry[measure.name] = time ? json(*time) : json(nullptr);
      entry["summary"] = combination.summary;
    } else {
      entry["reason"] = combination.reason;
    }
    all.push_back(std::move(entry));
  }
  return {{"vary", vary_json(sweep)},
          {"measure", measure.name},
          {"interrupted", sweep.interrupted},
          {"combinations", std::move(all)}};
}

}  // namespace frostline::app
