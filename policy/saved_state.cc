#include "policy/saved_state.h"

#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <vector>

#include "base/error.h"
#include "policy/freeze_settings.h"

namespace frostline::policy {

using nlohmann::json;
using pipeline::StatisticsOrder;

json json_of(double value) {
  if (std::isfinite(value)) return value;
  if (std::isnan(value)) return "nan";
  return value > 0 ? "inf" : "-inf";
}

double double_from(const json& saved) {
  if (!saved.is_string()) return saved.get<double>();
  const auto word = saved.get<std::string>();
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  if (word == "inf") return kInfinity;
  if (word == "-inf") return -kInfinity;
  if (word == "nan") return std::numeric_limits<double>::quiet_NaN();
  throw_broken_state("a number", fmt::format("\"{}\" is none", word));
}

json json_of(const StatisticsOrder& order) {
  std::vector<int> units;
  for (const pipeline::UnitId unit : order.units) units.push_back(unit.value);
  return {{"units", units}, {"change", to_word(order.change)}, {"theta1", json_of(order.theta1)}};
}

StatisticsOrder order_from(const json& saved) {
  StatisticsOrder order;
  for (const int unit : saved.at("units").get<std::vector<int>>()) order.units.push_back({unit});
  const auto word = saved.at("change").get<std::string>();
  const auto change = change_from(word);
  if (!change) throw_broken_state("the statistics", fmt::format("unknown change \"{}\"", word));
  order.change = *change;
  order.theta1 = double_from(saved.at("theta1"));
  return order;
}

void throw_broken_state(const std::string& what, const std::string& reason) {
  throw base::Error(fmt::format(
      "the checkpoint is broken: what it holds of {} cannot be read ({}); resume from another one",
      what, reason));
}

}  // namespace frostline::policy
