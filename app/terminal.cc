#include "app/terminal.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <cstdlib>
#include <string_view>

#include "app/verb.h"

namespace frostline::app {
namespace {

constexpr int kUsualWidth = 100;

std::string_view environment(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? std::string_view() : value;
}

}  // namespace

bool stdout_is_terminal() { return isatty(STDOUT_FILENO) == 1; }

int terminal_width() {
  winsize size{};
  if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0) return size.ws_col;
  const int columns = std::atoi(std::string(environment("COLUMNS")).c_str());
  return columns > 0 && columns < 10'000 ? columns : kUsualWidth;
}

void add_color_option(CLI::App& command, Arguments& arguments) {
  command
      .add_option(
          "--color", arguments.color,
          "Colour the timeline: always, never, or auto (the default): on a terminal, unless "
          "NO_COLOR is set")
      ->type_name("WHEN")
      ->check(CLI::IsMember({"auto", "always", "never"}).description(""));
}

bool use_color(const std::string& choice) {
  if (choice != "auto") return choice == "always";
  return stdout_is_terminal() && environment("NO_COLOR").empty() && environment("TERM") != "dumb";
}

}  // namespace frostline::app
