#include "pipeline/settings.h"

#include <fmt/ranges.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/file.h"
#include "pipeline/schedules/registry.h"
#include "tests/base/temporary_folder.h"

namespace frostline::pipeline {
namespace {

using testing::ElementsAre;

/// The texts of all problems of "[pipeline]" with `keys` and a model of `layers` layers.
std::vector<std::string> problems_of(const std::string& keys, int layers) {
  auto document = base::Document::from_text("[pipeline]\n" + keys, "x.toml");
  const PipelineSettings settings = pipeline_section().read(document);
  if (document.valid()) check_pipeline(document, settings, layers);
  try {
    document.throw_if_invalid();
  } catch (const base::InvalidInput& error) {
    std::vector<std::string> texts;
    for (const base::Problem& problem : error.problems()) texts.push_back(problem.text());
    return texts;
  }
  return {};
}

TEST(PipelineSettings, AreRead) {
  auto document = base::Document::from_text(
      "[pipeline]\nranks = 2\nmicro_batches = 8\nschedule = \"gpipe\"\npartition = [3, 5]\n",
      "x.toml");
  const PipelineSettings settings = pipeline_section().read(document);
  EXPECT_TRUE(document.valid());
  EXPECT_EQ(settings.shape(), (PipelineShape{2, 1, 8}));
  EXPECT_EQ(settings.schedule.text, "gpipe");
  EXPECT_EQ(std::get<base::Integers>(settings.partition), (base::Integers{3, 5}));
}

TEST(PipelineSettings, DefaultsAreOneRankInBalance) {
  auto document = base::Document::from_text("", "x.toml");
  const PipelineSettings settings = pipeline_section().read(document);
  EXPECT_EQ(settings.shape(), PipelineShape());
  EXPECT_EQ(std::get<std::string>(settings.partition), "balanced");
  check_pipeline(document, settings, 1);
  EXPECT_TRUE(document.valid());
}

TEST(PipelineSettings, EveryKeyIsDocumented) {
  for (const base::KeyInfo& key : pipeline_section().info().keys) {
    EXPECT_FALSE(key.doc.empty() || key.allowed.empty()) << key.name;
  }
  EXPECT_EQ(pipeline_section().info().keys.size(), 8u);
}

struct BrokenSettings {
  std::string keys;
  int layers;
  std::string problem;
};

class CheckPipeline : public testing::TestWithParam<BrokenSettings> {};

TEST_P(CheckPipeline, SaysRuleNumbersAndMend) {
  EXPECT_THAT(problems_of(GetParam().keys, GetParam().layers), ElementsAre(GetParam().problem));
}

INSTANTIATE_TEST_SUITE_P(
    Messages, CheckPipeline,
    testing::Values(
        BrokenSettings{
            "ranks = 6", 4,
            "x.toml:2:9: pipeline.ranks = 6: 6 stages do not fit 4 layers; use at most 4"},
        BrokenSettings{"ranks = 0", 4,
                       "x.toml:2:9: pipeline.ranks = 0 is not allowed; use between 1 and 4096"},
        BrokenSettings{"ranks = 4097", 5000,
                       "x.toml:2:9: pipeline.ranks = 4097 is not allowed; use between 1 and 4096"},
        BrokenSettings{
            "micro_batches = 1048577", 4,
            "x.toml:2:17: pipeline.micro_batches = 1048577 is not allowed; use between 1 "
            "and 1048576"},
        BrokenSettings{"ranks = 1024\nmicro_batches = 1025", 1024,
                       "x.toml:3:17: pipeline.micro_batches = 1025 on 1024 stages is too large a "
                       "schedule: stages x micro-batches is at most 1048576; use at most 1024 "
                       "micro-batches with 1024 stages"},
        BrokenSettings{"ranks = 4096\nchunks = 4096", 16777216,
                       "x.toml:1:1: pipeline.micro_batches = 1 on 16777216 stages is too large a "
                       "schedule: a pipeline has at most 65536 stages; use at most 65536 stages"},
        BrokenSettings{"ranks = 4\nschedule = \"zb_1p\"\nmemory_limit = 0.2", 4,
                       "x.toml:4:16: pipeline.memory_limit = 0.2 does not go with "
                       "pipeline.schedule = \"zb_1p\": a rank has to hold one micro-batch, but "
                       "memory_limit = 0.2 with ranks = 4 is 0.8 of one; use at least 0.25"},
        BrokenSettings{"memory_limit = 1.5", 4,
                       "x.toml:2:16: pipeline.memory_limit = 1.5 does not go with "
                       "pipeline.schedule = \"1f1b\": it searches for no order within a memory "
                       "limit; use 0, or the schedule zb_1p or zb_2p"},
        BrokenSettings{
            "ranks = 2\nchunks = 2\nschedule = \"1f1b\"", 4,
            "x.toml:4:12: pipeline.schedule = \"1f1b\" cannot run: 1f1b holds one stage a "
            "rank, but chunks = 2; use chunks = 1"},
        BrokenSettings{
            "schedule = \"1f1bb\"", 4,
            fmt::format("x.toml:2:12: pipeline.schedule = \"1f1bb\" is not allowed; use one of {}, "
                        "or file:NAME.csv; did you mean '1f1b'?",
                        fmt::join(schedule_names(), ", "))},
        BrokenSettings{
            "replicas = 2", 4,
            "x.toml:2:12: pipeline.replicas = 2 is not allowed; data-parallel copies cannot "
            "run yet, use 1"},
        BrokenSettings{
            "partition = \"even\"", 4,
            "x.toml:2:13: pipeline.partition = \"even\" is not allowed; use \"balanced\" or "
            "the number of layers of each stage"},
        BrokenSettings{"ranks = 2\npartition = [4]", 4,
                       "x.toml:3:13: pipeline.partition = [4] has 1 numbers for the 2 stages of "
                       "pipeline.ranks = 2; give one for each stage"},
        BrokenSettings{
            "ranks = 2\npartition = [3, 2]", 4,
            "x.toml:3:13: pipeline.partition = [3, 2] does not add up to the 4 layers; make "
            "the sum 4"},
        BrokenSettings{
            "ranks = 2\npartition = [9223372036854775807, 9223372036854775807]", 4,
            "x.toml:3:13: pipeline.partition = [9223372036854775807, 9223372036854775807] "
            "does not add up to the 4 layers; make the sum 4"},
        BrokenSettings{
            "ranks = 2\npartition = [4, 0]", 4,
            "x.toml:3:13: pipeline.partition = [4, 0] leaves a stage without layers; use at "
            "least 1 for each"}));

TEST(CheckPipelineTogether, AllProblemsAreNotedAtOnce) {
  EXPECT_THAT(
      problems_of("ranks = 3\nchunks = 2\nreplicas = 2", 5),
      // In file order; what stands nowhere is at its section.
      ElementsAre("x.toml:1:1: pipeline.schedule = \"1f1b\" cannot run: 1f1b holds one stage a "
                  "rank, but chunks = 2; use chunks = 1",
                  "x.toml:2:9: pipeline.ranks = 3 with pipeline.chunks = 2: 6 stages do not "
                  "fit 5 layers; use at most 2",
                  "x.toml:4:12: pipeline.replicas = 2 is not allowed; data-parallel copies "
                  "cannot run yet, use 1"));
}

TEST(ScheduleFile, IsCheckedWithTheSettings) {
  const base::TemporaryFolder folder;
  const std::string file = (folder / "o.csv").string();
  const auto problems = [&](const std::string& csv) {
    base::write_file_atomically(file, csv);
    return problems_of("ranks = 2\nmicro_batches = 2\nschedule = \"file:" + file + "\"", 4);
  };
  const std::string refused = "x.toml:4:12: pipeline.schedule = \"file:" + file + "\" cannot run: ";
  EXPECT_THAT(problems("0F0,0F1,0B0,0B1\n1F0,1B0,1F1,1B1\n"), ElementsAre());
  EXPECT_THAT(problems("0F0,0B0\n1F0,1X0\n"),
              ElementsAre(testing::StartsWith(
                  refused + file + ":2:5: '1X0' is not an action: 'X' is not a kind of action")));
  EXPECT_THAT(
      problems("0F0,0B0\n1F0,1B0\n"),
      ElementsAre(refused + "the file is made for ranks = 2, chunks = 1, micro_batches = 1, "
                            "but the scenario has ranks = 2, chunks = 1, micro_batches = "
                            "2; set ranks = 2, chunks = 1, micro_batches = 1"));
}

TEST(ScheduleFile, ThatIsMissingIsSaid) {
  EXPECT_THAT(problems_of("schedule = \"file:/missing/o.csv\"", 4),
              ElementsAre(testing::HasSubstr("/missing/o.csv")));
  EXPECT_THAT(problems_of("schedule = \"file:\"", 4), testing::SizeIs(1));
}

TEST(Placement, FollowsFromTheSettings) {
  const base::TemporaryFolder folder;
  base::write_file_atomically(folder / "o.csv", "1F0,1B0\n0F0,0B0\n");
  PipelineSettings settings;
  settings.ranks = settings.chunks = 2;
  EXPECT_EQ(placement(settings), (std::vector<Rank>{{0}, {1}, {0}, {1}}));
  settings.schedule = {"zb_v"};
  EXPECT_EQ(placement(settings), v_placement(2));
  settings.chunks = 1;
  settings.schedule = base::NameOrFile::of(folder / "o.csv");
  EXPECT_EQ(placement(settings), (std::vector<Rank>{{1}, {0}}));
  settings.schedule = {"file:/missing"};
  EXPECT_EQ(placement(settings), (std::vector<Rank>{{0}, {1}}));
}

TEST(ScheduleFile, IsMadeFromTheSettings) {
  const base::TemporaryFolder folder;
  base::write_file_atomically(folder / "o.csv", "0F0,0B0\n1F0,1B0\n");
  PipelineSettings settings;
  settings.ranks = 2;
  settings.schedule = base::NameOrFile::of(folder / "o.csv");
  EXPECT_EQ(make_schedule(settings, settings.request()).name, "file:o.csv");
  settings.schedule = {"1f1b"};
  EXPECT_EQ(make_schedule(settings, settings.request()), make_schedule("1f1b", {2, 1, 1}));
}

TEST(CheckPipelineTogether, APartitionThatFitsIsFine) {
  EXPECT_THAT(problems_of("ranks = 2\nmicro_batches = 1\npartition = [1, 3]", 4), ElementsAre());
}

}  // namespace
}  // namespace frostline::pipeline
