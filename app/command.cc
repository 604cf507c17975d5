#include "app/command.h"

#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <new>

#include "app/verb.h"
#include "base/document.h"
#include "base/error.h"
#include "base/nearest.h"

namespace frostline::app {
namespace {

constexpr int kFailed = 1;
constexpr int kWrongInput = 2;

void fail(const std::string& message) { fmt::print(stderr, "frostline: {}\n", message); }

/// Runs the verb and turns its exceptions into messages and exit codes.
int run_verb(const Verb& verb, const Arguments& arguments) {
  try {
    return verb.run(arguments);
  } catch (const base::InvalidInput& error) {
    for (const auto& problem : error.problems()) fail(problem.text());
    return kWrongInput;
  } catch (const base::Error& error) {
    fail(error.what());
  } catch (const std::bad_alloc&) {
    fail("out of memory; use a smaller batch, model or schedule");
  } catch (const std::exception& error) {
    fail(fmt::format("internal error, please report it: {}", error.what()));
  }
  return kFailed;
}

/// CLI11 takes a word that is no verb for a superfluous argument; say what it is.
int explain(const CLI::App& command, const CLI::ParseError& error, int argc, char** argv) {
  if (error.get_exit_code() == 0) return command.exit(error);
  std::string hint;
  if (argc > 1 && argv[1][0] != '-') {
    base::Words names;
    for (const auto& verb : verbs()) names.emplace_back(verb.name);
    if (std::find(names.begin(), names.end(), argv[1]) == names.end()) {
      fail(fmt::format("'{}' is no verb{}; `frostline --help` lists them", argv[1],
                       base::did_you_mean(argv[1], names)));
      return kWrongInput;
    }
    hint = fmt::format(" {}", argv[1]);
  }
  fail(fmt::format("{}; see `frostline{} --help`", error.what(), hint));
  return kWrongInput;
}

}  // namespace

int run_command(int argc, char** argv) {
  CLI::App command(
      "Trains models through a pipeline, freezes what has converged, and simulates it.",
      "frostline");
  command.require_subcommand(1);
  command.set_version_flag("--version", FROSTLINE_VERSION);
  Arguments arguments;
  std::vector<CLI::App*> parsers;
  for (const auto& verb : verbs()) {
    auto* parser = command.add_subcommand(std::string(verb.name), std::string(verb.description));
    verb.add_options(*parser, arguments);
    parsers.push_back(parser);
  }
  try {
    command.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return explain(command, error, argc, argv);
  }
  const auto chosen =
      std::find_if(parsers.begin(), parsers.end(), [](auto* p) { return p->parsed(); });
  return run_verb(verbs()[static_cast<std::size_t>(chosen - parsers.begin())], arguments);
}

}  // namespace frostline::app
