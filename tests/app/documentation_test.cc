#include "app/documentation.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <regex>

#include "base/file.h"
#include "tests/app/command_runner.h"

namespace frostline::app {
namespace {

/// The page in docs/ is what the tables print; FROSTLINE_ACCEPT=1 rewrites it.
void expect_page(const std::string& name, const std::string& text) {
  const auto file = project_root() / "docs" / name;
  if (std::getenv("FROSTLINE_ACCEPT")) base::write_file_atomically(file, text);
  EXPECT_EQ(base::read_file(file), text)
      << "docs/" << name << " is out of date; FROSTLINE_ACCEPT=1 rewrites it";
}

TEST(Documentation, TheScenarioPageIsWhatTheTablesSay) {
  expect_page("scenario.md", scenario_page());
}

TEST(Documentation, TheVerbsPageIsWhatTheTablesSay) { expect_page("verbs.md", verbs_page()); }

TEST(Documentation, TheCommandPrintsItsPages) {
  EXPECT_EQ(frostline("document scenario").out, scenario_page());
  EXPECT_EQ(frostline("document verbs").out, verbs_page());
}

TEST(Documentation, EveryShippedScenarioIsSound) {
  int checked = 0;
  for (const auto& entry : std::filesystem::directory_iterator(project_root() / "scenarios")) {
    if (entry.path().extension() != ".toml") continue;
    const auto result = frostline("check " + entry.path().string());
    EXPECT_EQ(result.exit_code, 0) << entry.path() << ": " << result.err;
    ++checked;
  }
  EXPECT_GE(checked, 4);
}

/// All but those that need LibTorch or what a command before them wrote: tests/app/torch runs the
/// same with a small model.
TEST(Documentation, EveryExampleOfTheReadmeRuns) {
  const auto text = base::read_file(project_root() / "README.md");
  const std::regex example(
      R"((?:^|\n)(?:\$ )?(?:build/torch/app/)?frostline ((?:check|simulate|document) [^\n#]*))");
  int run = 0;
  for (std::sregex_iterator match(text.begin(), text.end(), example), end; match != end;
       ++match, ++run) {
    if (match->str().find("cost.source=profile") != std::string::npos) continue;
    const auto result = frostline((*match)[1]);
    EXPECT_EQ(result.exit_code, 0) << (*match)[1] << ": " << result.err;
  }
  EXPECT_GE(run, 3);
}

}  // namespace
}  // namespace frostline::app
