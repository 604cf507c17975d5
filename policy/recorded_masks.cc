#include "policy/recorded_masks.h"

#include <fmt/format.h>

#include <iterator>
#include <nlohmann/json.hpp>
#include <optional>
#include <sstream>

#include "base/error.h"
#include "base/file.h"
#include "base/to_toml.h"

namespace frostline::policy {
namespace {

using nlohmann::json;
using pipeline::FreezeMask;
using pipeline::UnitTable;

class Reader {
 public:
  Reader(const std::filesystem::path& log, const UnitTable& units, std::int64_t judging_step)
      : place_{log.string()}, units_(units), judging_step_(judging_step) {}

  RecordedMasks read();

 private:
  [[noreturn]] void fail(const std::string& what) const { throw base::Error(place_, what); }
  void read_line(const std::string& text);
  void read_event(const json& event);
  void read_start(const json& event);
  void read_decision(const json& event);
  void check_units(const base::Words& names) const;
  FreezeMask mask_of(const json& event) const;

  base::Place place_;
  const UnitTable& units_;
  std::int64_t judging_step_;
  std::optional<FreezeMask> start_;
  std::map<std::int64_t, FreezeMask> decided_;
};

RecordedMasks Reader::read() {
  if (!std::filesystem::exists(place_.source)) {
    fail("there is no such log; freeze.file takes the folder of a finished run");
  }
  std::istringstream lines(base::read_file(place_.source));
  for (std::string line; std::getline(lines, line);) {
    ++place_.line;
    read_line(line);
  }
  if (!start_) {
    place_.line = 0;
    fail("the log has no \"start\" event; give the folder of a run that was made by this version");
  }
  return {*start_, decided_};
}

void Reader::read_line(const std::string& text) {
  try {
    read_event(json::parse(text));
  } catch (const json::exception& error) {
    fail(
        fmt::format("the line is broken ({}); every line of a run's log is a JSON object with an "
                    "\"event\"",
                    error.what()));
  }
}

void Reader::read_event(const json& event) {
  const auto kind = event.at("event").get<std::string>();
  if (kind == "start") read_start(event);
  if (kind == "decision") read_decision(event);
}

void Reader::read_start(const json& event) {
  check_units(event.at("units").get<base::Words>());
  const auto recorded = event.at("judging_step").get<std::int64_t>();
  if (recorded != judging_step_) {
    fail(fmt::format("the run was judged every {} steps, and freeze.judging_step = {}; use {}",
                     recorded, judging_step_, recorded));
  }
  start_ = mask_of(event);
}

void Reader::check_units(const base::Words& names) const {
  const std::string mend = "use a run of the same model and freeze.unit";
  if (names.size() != units_.units.size()) {
    fail(fmt::format("the run is of another model: it has {} units, this one has {}; {}",
                     names.size(), units_.units.size(), mend));
  }
  for (std::size_t i = 0; i < names.size(); ++i) {
    const std::string& name = units_.units[i].name;
    if (names[i] == name) continue;
    fail(fmt::format("the run is of another model: its unit {} is '{}', this one's is '{}'; {}",
                     i + 1, names[i], name, mend));
  }
}

/// A later line on the same step is that of a resumed run, which took the step again.
void Reader::read_decision(const json& event) {
  decided_[event.at("step").get<std::int64_t>()] = mask_of(event);
}

FreezeMask Reader::mask_of(const json& event) const {
  const auto text = event.at("mask").get<std::string>();
  if (text.size() != units_.units.size() || text.find_first_not_of("01") != std::string::npos) {
    fail(fmt::format("the mask \"{}\" is broken; it has one 0 or 1 for each of the {} units", text,
                     units_.units.size()));
  }
  return FreezeMask::from_text(text);
}

}  // namespace

const FreezeMask& RecordedMasks::after(std::int64_t steps) const {
  const auto later = decided.upper_bound(steps);
  return later == decided.begin() ? start : std::prev(later)->second;
}

RecordedMasks read_recorded_masks(const std::filesystem::path& log, const UnitTable& units,
                                  std::int64_t judging_step) {
  return Reader(log, units, judging_step).read();
}

}  // namespace frostline::policy
