#pragma once

namespace frostline::app {

/// The whole command: parses the command line, runs the verb, turns what went wrong into one clear
/// message on stderr and an exit code: 0, 1 (failed) or 2 (command line or scenario wrong).
int run_command(int argc, char** argv);

}  // namespace frostline::app
