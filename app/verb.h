#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"

namespace CLI {
class App;
}

namespace frostline::app {

/// What the command line said, for any verb.
struct Arguments {
  std::filesystem::path scenario;
  std::vector<std::string> set;  ///< "key=value" overrides, in order
  std::optional<std::int64_t> seed;
  bool json = false;
  std::filesystem::path trace;  ///< the Chrome trace to write
  bool critical_path = false;
  bool timeline = false;  ///< drawn also where stdout is no terminal
  std::string color = "auto";
  std::vector<std::string> vary;     ///< "key=value,value,...": a sweep
  std::optional<std::int64_t> jobs;  ///< of a sweep, at a time
  std::filesystem::path out;         ///< folder of a run, or the file to write
  std::filesystem::path resume;      ///< folder of a run to go on with
  std::vector<std::filesystem::path> runs;
  std::string topic;  ///< what to document
  std::int64_t repeats = 30;
  bool list_schedules = false;
  std::string world = "event";
  std::filesystem::path schedule_out;  ///< the CSV to write
  std::string schedule_format;         ///< of it; "": with transfers
};

/// One verb of the command. Each lives in a file of its own under verbs/.
struct Verb {
  std::string_view name;
  std::string_view description;  ///< one line
  void (*add_options)(CLI::App& command, Arguments& arguments);
  /// Returns the exit code, or throws base::Error (exit 1) or base::InvalidInput (exit 2).
  int (*run)(const Arguments& arguments);
};

std::span<const Verb> verbs();

/// SCENARIO, --set, --seed: what most verbs take.
void add_scenario_options(CLI::App& command, Arguments& arguments);
/// --set and --seed alone.
void add_override_options(CLI::App& command, Arguments& arguments);
void add_json_option(CLI::App& command, Arguments& arguments);

/// For a command line that makes no sense: exit code 2.
base::InvalidInput wrong_command_line(const std::string& what);

}  // namespace frostline::app
