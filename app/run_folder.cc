#include "app/run_folder.h"

#include <fmt/core.h>

#include <cerrno>
#include <cstring>
#include <sstream>
#include <system_error>

#include "base/error.h"
#include "base/file.h"

namespace frostline::app {
namespace {

using nlohmann::json;
namespace fs = std::filesystem;

json parse_line(const std::string& line, const fs::path& file, int number) {
  auto event = json::parse(line, nullptr, false);
  if (event.is_discarded() || !event.is_object())
    throw base::Error(
        {file.string(), number, 0},
        "not a JSON object; a run's log holds one a line, as `frostline train` writes it");
  return event;
}

}  // namespace

RunFolder RunFolder::create(const fs::path& path) {
  std::error_code error;
  if (fs::exists(path, error) && !(fs::is_directory(path, error) && fs::is_empty(path, error)))
    throw base::Error(fmt::format(
        "{}: already there and not an empty folder; name another with --out", path.string()));
  fs::create_directories(path, error);
  if (error)
    throw base::Error(
        fmt::format("{}: cannot make the folder: {}", path.string(), error.message()));
  return RunFolder(path);
}

fs::path RunFolder::free_name(const fs::path& parent, const std::string& name) {
  fs::path path = parent / name;
  for (int i = 2; fs::exists(path); ++i) path = parent / fmt::format("{}-{}", name, i);
  return path;
}

RunFolder RunFolder::open(const fs::path& path) {
  RunFolder folder(path);
  if (!fs::is_directory(path))
    throw base::Error(fmt::format("{}: no such folder; give the folder of a run", path.string()));
  if (!fs::exists(folder.scenario()))
    throw base::Error(
        fmt::format("{}: not the folder of a run: it has no scenario.toml", path.string()));
  return folder;
}

void RunFolder::write_scenario(const std::string& toml) const {
  base::write_file_atomically(scenario(), toml);
}

void RunFolder::write_summary(const json& summary) const {
  base::write_file_atomically(this->summary(), summary.dump(2) + "\n");
}

json RunFolder::read_summary() const {
  if (!fs::exists(summary()))
    throw base::Error(
        fmt::format("{}: has no summary.json: the run has not ended; go on with "
                    "`frostline train --resume {}`",
                    path_.string(), path_.string()));
  auto value = json::parse(base::read_file(summary()), nullptr, false);
  if (value.is_discarded() || !value.is_object())
    throw base::Error(fmt::format("{}: not a JSON object", summary().string()));
  return value;
}

std::vector<json> RunFolder::read_log() const {
  std::istringstream text(base::read_file(log()));
  std::vector<json> events;
  std::string line;
  for (int number = 1; std::getline(text, line); ++number)
    // An interruption may cut the last line short: it was not yet an event.
    if (!text.eof()) events.push_back(parse_line(line, log(), number));
  return events;
}

RunLog::RunLog(const fs::path& file, const std::vector<json>& events) : file_(file) {
  std::string text;
  for (const auto& event : events) text += event.dump() + "\n";
  base::write_file_atomically(file, text);
  stream_.open(file, std::ios::app | std::ios::binary);
  if (!stream_)
    throw base::Error(fmt::format("{}: cannot open: {}", file.string(), std::strerror(errno)));
}

void RunLog::append(const json& event) {
  errno = 0;
  stream_ << event.dump() << '\n' << std::flush;
  if (!stream_)
    throw base::Error(fmt::format(
        "{}: cannot write: {}; the last checkpoint is intact: go on with "
        "`frostline train --resume {}`",
        file_.string(), std::strerror(errno ? errno : EIO), file_.parent_path().string()));
}

}  // namespace frostline::app
