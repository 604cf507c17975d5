#pragma once

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace frostline::app {

/// The folder of one run: scenario.toml (every key with its effective value), log.jsonl (one JSON
/// object a line), checkpoint.safetensors, summary.json.
class RunFolder {
 public:
  /// Makes a new folder. Throws base::Error if it exists and is not empty, or cannot be made.
  static RunFolder create(const std::filesystem::path& path);
  /// The first of NAME, NAME-2, NAME-3, ... under `parent` that does not exist yet.
  static std::filesystem::path free_name(const std::filesystem::path& parent,
                                         const std::string& name);
  /// An existing run's folder. Throws base::Error, saying what is missing, if it is none.
  static RunFolder open(const std::filesystem::path& path);

  const std::filesystem::path& path() const { return path_; }
  std::filesystem::path scenario() const { return path_ / "scenario.toml"; }
  std::filesystem::path log() const { return path_ / "log.jsonl"; }
  std::filesystem::path checkpoint() const { return path_ / "checkpoint.safetensors"; }
  std::filesystem::path summary() const { return path_ / "summary.json"; }
  std::filesystem::path weights() const { return path_ / "weights.safetensors"; }

  void write_scenario(const std::string& toml) const;
  void write_summary(const nlohmann::json& summary) const;
  /// Throws base::Error for a missing or broken file, with its line.
  nlohmann::json read_summary() const;
  std::vector<nlohmann::json> read_log() const;

 private:
  explicit RunFolder(std::filesystem::path path) : path_(std::move(path)) {}
  std::filesystem::path path_;
};

/// Appends events to a run's log, whole lines, each handed to the system before the next. Throws
/// base::Error if the disk is full.
class RunLog {
 public:
  /// Begins a log with `events`, in place of what was there (all of it or nothing).
  RunLog(const std::filesystem::path& file, const std::vector<nlohmann::json>& events);
  void append(const nlohmann::json& event);

 private:
  std::filesystem::path file_;
  std::ofstream stream_;
};

}  // namespace frostline::app
