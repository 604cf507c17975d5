#pragma once

#include <string>

namespace frostline::app {

/// The manual's pages in Markdown, made from the tables that parse: docs/scenario.md and
/// docs/verbs.md.
std::string scenario_page();
std::string verbs_page();

}  // namespace frostline::app
