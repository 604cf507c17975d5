#include "app/documentation.h"

#include <fmt/core.h>

#include <CLI/CLI.hpp>

#include "app/scenario.h"
#include "app/verb.h"
#include "pipeline/schedules/registry.h"
#include "policy/policies/registry.h"

namespace frostline::app {
namespace {

std::string cell(const std::string& text) {
  std::string escaped;
  for (char c : text) escaped += c == '|' ? std::string("\\|") : std::string(1, c);
  return escaped;
}

std::string section_page(const base::SectionInfo& section) {
  std::string text =
      section.name.empty() ? "## Top of the file\n\n" : fmt::format("## [{}]\n\n", section.name);
  text += section.doc +
          "\n\n| key | type | allowed | default | meaning |\n| --- | --- | --- | --- | --- |\n";
  for (const auto& key : section.keys)
    text += fmt::format("| `{}` | {} | {} | `{}` | {} |\n", key.name, cell(key.type),
                        cell(key.allowed), cell(key.fallback), cell(key.doc));
  return text + "\n";
}

template <class Kinds>
std::string kinds_page(const char* title, const Kinds& kinds) {
  std::string text = fmt::format("## {}\n\n| name | what it does |\n| --- | --- |\n", title);
  for (const auto& kind : kinds)
    text += fmt::format("| `{}` | {} |\n", kind.name, cell(std::string(kind.description)));
  return text + "\n";
}

std::string option_line(const CLI::Option& option) {
  const std::string name = option.get_positional() ? option.get_name(true) : option.get_name();
  const std::string value = option.get_type_size() > 0 ? " " + option.get_type_name() : "";
  return fmt::format("| `{}` | {} |\n", name + value, cell(option.get_description()));
}

std::string verb_page(const Verb& verb) {
  CLI::App command;
  Arguments arguments;
  command.set_help_flag();
  verb.add_options(command, arguments);
  std::string text =
      fmt::format("## frostline {}\n\n{}.\n\n| argument | meaning |\n| --- | --- |\n", verb.name,
                  verb.description);
  for (const auto* option : command.get_options()) text += option_line(*option);
  return text + "\n";
}

}  // namespace

std::string scenario_page() {
  std::string text =
      "# The scenario file\n\nOne TOML file describes a run in any world. This page is printed by "
      "`frostline document "
      "scenario`.\nRelative paths count from the scenario's folder; in `--set` from the current "
      "one.\n\n";
  for (const auto* section : scenario_sections()) text += section_page(*section);
  text += kinds_page("Schedules", pipeline::schedule_kinds());
  return text + kinds_page("Freeze policies", policy::policy_kinds());
}

std::string verbs_page() {
  std::string text =
      "# The verbs\n\nThis page is printed by `frostline document verbs`. Results go to stdout, "
      "messages to stderr. Exit "
      "codes: 0 done,\n1 failed or interrupted (compare: or a combination of --vary could not "
      "run), 2 command line or\nscenario wrong.\n\n";
  for (const auto& verb : verbs()) text += verb_page(verb);
  return text;
}

}  // namespace frostline::app
