#include <fmt/core.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/file.h"
#include "tests/app/command_runner.h"
#include "tests/base/temporary_folder.h"

namespace frostline::app {
namespace {

using testing::HasSubstr;

class ScenarioErrors : public testing::Test {
 protected:
  CommandResult check(const std::string& text, const std::string& verb = "check") {
    base::write_file_atomically(folder_ / "x.toml", text);
    return frostline(verb + " x.toml", folder_.path());
  }
  base::TemporaryFolder folder_;
};

TEST_F(ScenarioErrors, AllProblemsOfAFileAreReportedInOnePass) {
  const auto result = check(
      "name = 'x'\n"
      "[pipeline]\n"
      "ranks = 0\n"
      "micro_batches = 'four'\n"
      "shedule = 'gpipe'\n"
      "[freeze]\n"
      "policy = 'fixd'\n"
      "[trian]\n"
      "steps = 3\n");
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_EQ(result.out, "");
  EXPECT_THAT(result.err, HasSubstr("x.toml:3:9: pipeline.ranks = 0"));
  EXPECT_THAT(result.err, HasSubstr("x.toml:4:17: pipeline.micro_batches"));
  EXPECT_THAT(
      result.err,
      HasSubstr("x.toml:5:1: unknown key 'pipeline.shedule'; did you mean 'pipeline.schedule'?"));
  EXPECT_THAT(result.err,
              HasSubstr("x.toml:7:10: freeze.policy = \"fixd\" is not allowed; use one of none"));
  EXPECT_THAT(result.err, HasSubstr("did you mean 'fixed'?"));
  EXPECT_THAT(result.err, HasSubstr("trian"));
}

TEST_F(ScenarioErrors, BrokenTomlHasLineAndColumn) {
  const auto result = check("[pipeline]\nranks = = 2\n");
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_THAT(result.err, HasSubstr("x.toml:2:"));
}

TEST_F(ScenarioErrors, MoreStagesThanLayersAreRefused) {
  const auto result = check(
      "[pipeline]\nranks = 11\n[model]\nkind = 'forecaster'\n[data]\nfile = 'a.csv'\nseries = "
      "['1']\n");
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_THAT(result.err, HasSubstr("x.toml:2:9: pipeline.ranks"));
  EXPECT_THAT(result.err, HasSubstr("10"));
}

TEST_F(ScenarioErrors, OverridesAreNamedAsTheirSource) {
  const auto result =
      frostline("check scenarios/zero_bubble_1_5b.toml --set pipeline.ranks=-1 --set nonsense");
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_THAT(result.err, HasSubstr("--set"));
  EXPECT_THAT(result.err, HasSubstr("pipeline.ranks = -1"));
  EXPECT_THAT(result.err, HasSubstr("nonsense"));
}

TEST_F(ScenarioErrors, SimulateNeedsCosts) {
  const auto result = check("[pipeline]\nranks = 2\n", "simulate");
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_THAT(result.err, HasSubstr("cost.source is missing"));
}

TEST_F(ScenarioErrors, SimulateRefusesPoliciesThatReadGradients) {
  const auto result =
      frostline("simulate scenarios/zero_bubble_1_5b.toml --set freeze.policy=fixed");
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_THAT(result.err, HasSubstr("freeze.policy = \"fixed\" reads gradients"));
}

TEST_F(ScenarioErrors, NothingIsWrittenForAWrongScenario) {
  base::write_file_atomically(folder_ / "x.toml", "[pipeline]\nranks = 0\n");
  const auto result = frostline("simulate x.toml --out run", folder_.path());
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_FALSE(std::filesystem::exists(folder_ / "run"));
}

TEST_F(ScenarioErrors, AnEmptyScenarioIsSound) {
  const auto result = check("");
  EXPECT_EQ(result.exit_code, 0) << result.err;
}

TEST_F(ScenarioErrors, ARunsNameStaysInItsFolder) {
  const auto result = check("name = '../../elsewhere'\n");
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_THAT(result.err, HasSubstr("x.toml:1:8: name"));
}

TEST_F(ScenarioErrors, CheckReadsTheData) {
  base::write_file_atomically(folder_ / "load.csv", "hour,3\n1,5.0\n2,1e308\n");
  const auto result =
      check("[model]\nkind = 'forecaster'\n[data]\nfile = 'load.csv'\nseries = ['3']\n");
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_THAT(result.err, HasSubstr("load.csv:3:3"));
}

struct CommandLineCase {
  std::string arguments;
  std::string message;
};

class CommandLine : public testing::TestWithParam<CommandLineCase> {};

TEST_P(CommandLine, WrongOnesEndWithCode2AndOneLine) {
  const auto result = frostline(GetParam().arguments);
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_THAT(result.err, HasSubstr(GetParam().message));
  EXPECT_EQ(std::count(result.err.begin(), result.err.end(), '\n'), 1);
}

INSTANTIATE_TEST_SUITE_P(
    All, CommandLine,
    testing::Values(CommandLineCase{"simulat x.toml", "did you mean 'simulate'?"},
                    CommandLineCase{"simulate", "the scenario file is missing"},
                    CommandLineCase{"", "subcommand"},
                    CommandLineCase{"simulate --nonsense x.toml", "--nonsense"},
                    CommandLineCase{"check scenarios/zero_bubble_1_5b.toml --seed minus", "--seed"},
                    CommandLineCase{"check scenarios/zero_bubble_1_5b.toml --seed -1", "--seed"},
                    CommandLineCase{"document weather", "weather"},
                    CommandLineCase{"compare", "runs"},
                    CommandLineCase{"compare scenarios/frozen_prefix.toml", "--vary what to vary"},
                    CommandLineCase{"compare x --jobs 2", "give --vary too"},
                    CommandLineCase{"compare x --vary seed=1 --jobs 0", "--jobs"},
                    CommandLineCase{"compare x y --vary seed=1", "takes one scenario file"},
                    CommandLineCase{"simulate x.toml --color blue", "--color"}));

TEST(CommandLineFailures, AMissingFileEndsWithCode1) {
  const auto result = frostline("check nowhere.toml");
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_THAT(result.err, HasSubstr("nowhere.toml"));
}

}  // namespace
}  // namespace frostline::app
