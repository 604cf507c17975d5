#include "tests/app/command_runner.h"

#include <fmt/core.h>
#include <sys/wait.h>

#include <cstdlib>

#include "base/file.h"
#include "tests/base/temporary_folder.h"

namespace frostline::app {

CommandResult frostline(const std::string& arguments, const std::filesystem::path& folder) {
  const base::TemporaryFolder output;
  const auto out = output.path() / "out";
  const auto err = output.path() / "err";
  const auto where = folder.empty() ? project_root() : folder;
  const auto line = fmt::format("cd '{}' && ( '{}' {} ) >'{}' 2>'{}' </dev/null", where.string(),
                                FROSTLINE_EXE, arguments, out.string(), err.string());
  const int status = std::system(line.c_str());
  return {WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status), base::read_file(out),
          base::read_file(err)};
}

std::filesystem::path project_root() { return FROSTLINE_ROOT; }

}  // namespace frostline::app
