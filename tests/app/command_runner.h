#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>

namespace frostline::app {

/// What a run of the built command left.
struct CommandResult {
  int exit_code = 0;
  std::string out;
  std::string err;

  nlohmann::json json() const { return nlohmann::json::parse(out); }
};

/// Runs `frostline ARGUMENTS` through the shell, in `folder` ("": the project's root).
CommandResult frostline(const std::string& arguments, const std::filesystem::path& folder = {});

std::filesystem::path project_root();

}  // namespace frostline::app
