#include "cost/settings.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace frostline::cost {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

const char* const kSoundTable =
    "[cost]\n"
    "source = \"table\"\n"
    "forward_ms = [18.522]\n"
    "input_gradient_ms = [18.086]\n"
    "weight_gradient_ms = [9.337]\n";

/// The problems of a [cost] section for two ranks of two chunks, as texts.
std::vector<std::string> problems_of(const std::string& text, std::int64_t ranks = 2,
                                     std::int64_t chunks = 2) {
  base::Document document = base::Document::from_text(text, "s.toml");
  pipeline::PipelineSettings pipeline;
  pipeline.ranks = ranks;
  pipeline.chunks = chunks;
  check_cost(document, cost_section().read(document), pipeline);
  std::vector<std::string> texts;
  try {
    document.throw_if_invalid();
  } catch (const base::InvalidInput& invalid) {
    for (const base::Problem& problem : invalid.problems()) texts.push_back(problem.text());
  }
  return texts;
}

std::vector<std::string> problems_with(const std::string& line) {
  return problems_of(kSoundTable + line + "\n");
}

TEST(CostSection, ReadsATable) {
  base::Document document = base::Document::from_text(
      std::string(kSoundTable) + "send_ms = 0.601\nactivation_mib = [1, 2]\n", "s.toml");
  const CostSettings settings = cost_section().read(document);
  EXPECT_TRUE(document.valid());
  EXPECT_EQ(settings.source, "table");
  EXPECT_THAT(settings.forward_ms, ElementsAre(18.522));
  EXPECT_THAT(settings.activation_mib, ElementsAre(1.0, 2.0));
  EXPECT_EQ(settings.send_ms, 0.601);
  EXPECT_THAT(settings.frozen_backward_ms, IsEmpty());
}

TEST(CostSection, WritesWhatItReads) {
  base::Document document = base::Document::from_text(cost_section().to_toml({}), "s.toml");
  const CostSettings settings = cost_section().read(document);
  EXPECT_TRUE(document.valid());
  EXPECT_EQ(settings.source, "");
  EXPECT_THAT(settings.activation_mib, ElementsAre(1.0));
}

TEST(CheckCost, AcceptsOneValueOneARankAndOneAStage) {
  EXPECT_THAT(problems_of(kSoundTable), IsEmpty());
  EXPECT_THAT(problems_with("frozen_backward_ms = [0, 1]"), IsEmpty());
  EXPECT_THAT(problems_with("frozen_backward_ms = [0, 1, 2, 3]"), IsEmpty());
  EXPECT_THAT(problems_with("frozen_backward_ms = []"), IsEmpty());
  EXPECT_THAT(problems_of(""), IsEmpty());
  EXPECT_THAT(problems_of("[cost]\nsource = \"profile\"\nfile = \"p.json\"\n"), IsEmpty());
}

TEST(CheckCost, RefusesListsOfAnotherLength) {
  EXPECT_THAT(problems_with("frozen_backward_ms = [1, 2, 3]"),
              ElementsAre("s.toml:6:22: cost.frozen_backward_ms has 3 values with pipeline.ranks = "
                          "2 and pipeline.chunks = 2; give 1 (for all), 2 (one a rank) or 4 (one a "
                          "stage: ranks x chunks)"));
  EXPECT_THAT(problems_of(std::string(kSoundTable) + "activation_mib = [1, 1]\n", 1, 1),
              ElementsAre(HasSubstr("give 1")));
}

TEST(CheckCost, RefusesImpossibleTimes) {
  const auto expect_refused = [](const std::string& value, const std::string& what) {
    const std::string text = "[cost]\nsource = \"table\"\nforward_ms = " + value +
                             "\ninput_gradient_ms = [18.086]\nweight_gradient_ms = [9.337]\n";
    EXPECT_THAT(problems_of(text), ElementsAre(HasSubstr(what))) << value;
  };
  expect_refused("[0]",
                 "s.toml:3:14: cost.forward_ms: element 1 = 0.0 is not allowed; use at "
                 "least 1e-06 (1 ns) and below 1000000000 (11 days)");
  expect_refused("[-1]", "element 1 = -1.0 is not allowed");
  expect_refused("[1, 1e9]", "element 2 = 1000000000.0 is not allowed");
  expect_refused("[nan]", "not finite");
  expect_refused("[inf]", "not finite");
  expect_refused("\"fast\"", "s.toml:3:14: cost.forward_ms = \"fast\"");
}

TEST(CheckCost, RefusesAStepBeyondTheClock) {
  const char* const longest =
      "[cost]\nsource = \"table\"\nforward_ms = 999999999\ninput_gradient_ms = 1\n"
      "weight_gradient_ms = 1\n";
  EXPECT_THAT(problems_of(longest, 3000, 1), IsEmpty());
  EXPECT_THAT(problems_of(longest, 4000, 1),
              ElementsAre("s.toml:3:14: a micro-batch takes up to 1e+09 ms on a stage, and 4000 "
                          "stages x 1 micro-batches of them more than 4e+12 ms (126 years) in a "
                          "step; use smaller times in [cost]"));
}

TEST(CheckCost, RefusesOtherImpossibleValues) {
  EXPECT_THAT(problems_with("send_ms = -1"), ElementsAre(HasSubstr("s.toml:6:11: cost.send_ms")));
  EXPECT_THAT(problems_with("partial_freeze_overhead = 1.5"),
              ElementsAre(HasSubstr("between 0 and 1")));
  EXPECT_THAT(problems_with("activation_mib = [-1]"), ElementsAre(HasSubstr("element 1")));
  EXPECT_THAT(problems_with("activation_mib = []"), ElementsAre(HasSubstr("is empty")));
  EXPECT_THAT(problems_of("[cost]\nsource = \"tabel\"\n"),
              ElementsAre(HasSubstr("did you mean 'table'?")));
}

TEST(CheckCost, NamesTheStageWhoseActivationGrows) {
  EXPECT_THAT(problems_with("activation_mib = [2, 1]\n"
                            "activation_after_input_gradient_mib = [1.5]"),
              ElementsAre("s.toml:7:39: cost.activation_after_input_gradient_mib = 1.5 at stage 1 "
                          "is more than its activation_mib = 1, of which it is a part; use at most "
                          "1"));
}

TEST(CheckCost, SaysWhatATableLacks) {
  EXPECT_THAT(problems_of("[cost]\nsource = \"table\"\nforward_ms = 1\ninput_gradient_ms = []\n"),
              ElementsAre(HasSubstr("s.toml:1:1: cost.source = \"table\" needs values in "
                                    "cost.weight_gradient_ms"),
                          HasSubstr("s.toml:4:21: cost.source = \"table\" needs values in "
                                    "cost.input_gradient_ms")));
}

TEST(CheckCost, SaysWhatAProfileLacks) {
  EXPECT_THAT(problems_of("[cost]\nsource = \"profile\"\n"),
              ElementsAre(HasSubstr("needs cost.file")));
}

TEST(CheckCost, RefusesKeysThatTheSourceDoesNotUse) {
  EXPECT_THAT(problems_with("file = \"p.json\""),
              ElementsAre(HasSubstr("s.toml:6:8: cost.file is not used by cost.source = "
                                    "\"table\"")));
  EXPECT_THAT(problems_of("[cost]\nsource = \"profile\"\nfile = \"p\"\nforward_ms = 1\n"
                          "activation_mib = 2\nsend_ms = 1\n"),
              ElementsAre(HasSubstr("cost.forward_ms is not used by cost.source = \"profile\""),
                          HasSubstr("cost.activation_mib"), HasSubstr("cost.send_ms")));
  EXPECT_THAT(problems_of("[cost]\nforward_ms = 1\nfile = \"p\"\n"),
              ElementsAre(HasSubstr("without cost.source; add source = \"table\""),
                          HasSubstr("without cost.source; add source = \"profile\"")));
}

TEST(CheckCost, AnAnalyticSourceTakesNoTable) {
  const std::string analytic = "[cost]\nsource = \"analytic\"\n";
  EXPECT_THAT(problems_of(analytic + "send_ms = 1\npartial_freeze_overhead = 0.1\n"), IsEmpty());
  EXPECT_THAT(problems_of(analytic + "message_mib = 1\nfile = \"p\"\n"),
              ElementsAre(HasSubstr("cost.message_mib is not used by cost.source = \"analytic\"; "
                                    "remove it, or use source = \"table\""),
                          HasSubstr("cost.file is not used by cost.source = \"analytic\"")));
}

TEST(CheckCost, ChecksTimesBesideSteps) {
  const std::string profile = "[cost]\nsource = \"profile\"\nfile = \"p\"\n";
  const std::string analytic = "[cost]\nsource = \"analytic\"\n";
  const std::string beside = "load_data_ms = 2\ncheckpoint_ms = 3\n";
  const std::string all = beside + "validation_ms = 4\n";
  EXPECT_THAT(problems_with(all), IsEmpty());
  EXPECT_THAT(problems_of(analytic + all), IsEmpty());
  EXPECT_THAT(problems_of(profile + beside), IsEmpty());
  EXPECT_THAT(problems_of(profile + all),
              ElementsAre(HasSubstr("cost.validation_ms is not used by cost.source = "
                                    "\"profile\"")));
  EXPECT_THAT(problems_of("[cost]\n" + all),
              ElementsAre(HasSubstr("cost.load_data_ms is not used without cost.source"),
                          HasSubstr("cost.checkpoint_ms is not used without cost.source"),
                          HasSubstr("cost.validation_ms is not used without cost.source")));
  EXPECT_THAT(problems_with("checkpoint_ms = -1"), ElementsAre(HasSubstr("cost.checkpoint_ms")));
}

TEST(TimesBesideSteps, AreCarriedInNanoseconds) {
  CostSettings settings;
  settings.source = "table";
  settings.load_data_ms = 1.5;
  settings.validation_ms = 2;
  settings.checkpoint_ms = 3;
  ModelCost cost;
  add_times_beside_steps(settings, cost);
  EXPECT_EQ(cost.load_data_ns, 1.5e6);
  EXPECT_EQ(cost.validation_ns, 2e6);
  EXPECT_EQ(cost.checkpoint_ns, 3e6);
}

TEST(TimesBesideSteps, LeaveAMeasuredValidation) {
  CostSettings settings;
  settings.source = "profile";
  settings.checkpoint_ms = 3;
  ModelCost cost;
  cost.validation_ns = 7;
  add_times_beside_steps(settings, cost);
  EXPECT_EQ(cost.validation_ns, 7);
  EXPECT_EQ(cost.checkpoint_ns, 3e6);
}

TEST(CheckCost, MessagesAreOfStages) {
  EXPECT_THAT(problems_with("message_mib = [1, 2]"), IsEmpty());
  EXPECT_THAT(problems_with("message_mib = [1, 2, 3]"), ElementsAre(HasSubstr("3 values")));
}

TEST(StageValue, FollowsRanksAroundTheirChunks) {
  const pipeline::PipelineShape shape{2, 2, 1};
  EXPECT_EQ(stage_value({7}, shape, {3}), 7);
  EXPECT_EQ(stage_value({7, 8}, shape, {3}), 8);
  EXPECT_EQ(stage_value({7, 8}, shape, {2}), 7);
  EXPECT_EQ(stage_value({1, 2, 3, 4}, shape, {2}), 3);
}

base::Document with_recomputation(const std::string& cost) {
  base::Document document = base::Document::from_text(cost, "s.toml");
  pipeline::PipelineSettings pipeline;
  pipeline.ranks = 2;
  pipeline.recompute = "full";
  check_cost(document, cost_section().read(document), pipeline);
  return document;
}

std::string refusal(const base::Document& document) {
  try {
    document.throw_if_invalid();
  } catch (const base::InvalidInput& invalid) {
    return invalid.what();
  }
  return "";
}

TEST(CheckCost, RefusesToRecomputeWithoutFigures) {
  EXPECT_THAT(refusal(with_recomputation("")), HasSubstr("has no effect without cost.source"));
  EXPECT_THAT(refusal(with_recomputation(kSoundTable)), HasSubstr("give cost.message_mib"));
  EXPECT_EQ(refusal(with_recomputation(std::string(kSoundTable) + "message_mib = 2\n")), "");
}

TEST(CheckCost, RefusesSizesOfNumbersThatNoModelCounts) {
  const std::string text = std::string(kSoundTable) + "gradient_bytes = 2\noptimizer_bytes = 8\n";
  const auto checked = [&](bool has_model) {
    base::Document document = base::Document::from_text(text, "s.toml");
    check_number_sizes(document, cost_section().read(document), has_model);
    return refusal(document);
  };
  EXPECT_EQ(checked(true), "");
  EXPECT_THAT(checked(false), HasSubstr("cost.gradient_bytes has no effect without a model"));
  EXPECT_THAT(problems_of("[cost]\nweight_bytes = 2\n"),
              ElementsAre(HasSubstr("cost.weight_bytes is not used without cost.source")));
}

}  // namespace
}  // namespace frostline::cost
