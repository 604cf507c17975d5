#pragma once

#include <string>

namespace CLI {
class App;
}

namespace frostline::app {

struct Arguments;

bool stdout_is_terminal();
/// Columns of the terminal on stdout; elsewhere what COLUMNS says, or 100.
int terminal_width();

/// --color auto, always or never.
void add_color_option(CLI::App& command, Arguments& arguments);
/// "auto": on a terminal that knows colours, unless NO_COLOR is set (https://no-color.org).
bool use_color(const std::string& choice);

}  // namespace frostline::app
