#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/file.h"
#include "policy/policies/registry.h"
#include "tests/base/temporary_folder.h"
#include "tests/base/throws.h"

namespace frostline::policy {
namespace {

using base::message_of;
using pipeline::FreezeMask;
using pipeline::UnitTable;
using testing::ElementsAre;
using testing::HasSubstr;

// layer.0 to layer.3, the last of which is the head.
const UnitTable& units() {
  static const UnitTable table = UnitTable::of_layers(4);
  return table;
}

FreezeSettings settings_of(const std::string& policy) {
  FreezeSettings settings;
  settings.policy = policy;
  return settings;
}

std::string initial(const FreezeSettings& settings) {
  return make_policy(settings, units())->initial_mask().text();
}

TEST(Registry, ListsEveryPolicyWithOneLine) {
  EXPECT_THAT(policy_names(), ElementsAre("none", "last_k", "mask", "fixed", "file"));
  for (const PolicyKind& kind : policy_kinds()) {
    EXPECT_FALSE(kind.description.empty()) << kind.name;
    EXPECT_EQ(kind.description.find('\n'), std::string_view::npos) << kind.name;
  }
}

TEST(Registry, NamesTheNearestPolicy) {
  EXPECT_EQ(
      message_of([] { make_policy(settings_of("last-k"), units()); }),
      "there is no freeze policy 'last-k'; use one of none, last_k, mask, fixed, file; did you "
      "mean 'last_k'?");
}

TEST(None, NeverFreezesAnything) {
  const auto policy = make_policy(settings_of("none"), units());
  EXPECT_EQ(policy->initial_mask().text(), "0000");
  EXPECT_TRUE(policy->needs({}).units.empty());
  EXPECT_EQ(policy->decide({.mask = FreezeMask(4)}, {}).mask.text(), "0000");
  EXPECT_FALSE(policy->reads_gradients());
}

TEST(LastK, TrainsTheLastLayersAlone) {
  FreezeSettings settings = settings_of("last_k");
  const std::pair<std::int64_t, const char*> cases[] = {
      {0, "1111"}, {1, "1110"}, {3, "1000"}, {4, "0000"}};
  for (const auto& [kept, mask] : cases) {
    settings.keep_layers = kept;
    const auto policy = make_policy(settings, units());
    EXPECT_EQ(policy->initial_mask().text(), mask);
    EXPECT_EQ(policy->decide({.mask = policy->initial_mask()}, {}).mask.text(), mask);
    EXPECT_TRUE(policy->fixed_from_the_start());
    EXPECT_TRUE(policy->needs({}).units.empty());
  }
}

// With a tensor of layer 0 tied to the head, keeping the head keeps that tensor.
TEST(LastK, KeepsWhatIsTiedToALayerThatItKeeps) {
  UnitTable tied = units();
  tied.units[0].layers = {{0}, {3}};
  EXPECT_EQ(make_policy(settings_of("last_k"), tied)->initial_mask().text(), "0110");
}

TEST(Mask, FreezesLeadingLayersAndUnitsByName) {
  FreezeSettings settings = settings_of("mask");
  settings.frozen_layers = 2;
  EXPECT_EQ(initial(settings), "1100");
  settings.frozen = {"layer.3", "layer.1"};
  EXPECT_EQ(initial(settings), "1101");
  settings.frozen_layers = 0;
  EXPECT_EQ(initial(settings), "0101");
  settings.frozen_layers = 4;
  EXPECT_EQ(initial(settings), "1111");
  EXPECT_TRUE(make_policy(settings, units())->fixed_from_the_start());
}

TEST(Mask, NamesTheNearestUnit) {
  FreezeSettings settings = settings_of("mask");
  settings.frozen = {"layer1"};
  EXPECT_EQ(message_of([&] { make_policy(settings, units()); }),
            "freeze.frozen: the model has no unit 'layer1'; did you mean 'layer.1'?");
}

// Absolute size, no warm-up: A < 0.5 and rho >= 0.8 freeze.
TEST(Fixed, AppliesTheScenariosThresholds) {
  FreezeSettings settings = settings_of("fixed");
  settings.change = "relative";
  settings.size = "absolute";
  settings.warm_up = 0;
  settings.theta1 = 0.25;
  settings.window = 2;
  const auto policy = make_policy(settings, units());
  EXPECT_EQ(policy->initial_mask().text(), "0000");
  EXPECT_TRUE(policy->reads_gradients());
  EXPECT_FALSE(policy->fixed_from_the_start());
  const auto order = policy->needs({.mask = FreezeMask(4)});
  EXPECT_THAT(order.units, ElementsAre(pipeline::UnitId{0}, pipeline::UnitId{1}));
  EXPECT_EQ(order.theta1, 0.25);
  const std::vector<pipeline::UnitStatistics> statistics{
      {.unit = {0}, .mean_gradient = 0.4, .small_changes = 0.8},
      {.unit = {1}, .mean_gradient = 0.5, .small_changes = 0.8}};
  const Decision decision = policy->decide({.mask = FreezeMask(4), .judging_steps = 1}, statistics);
  EXPECT_EQ(decision.mask.text(), "1000");
  EXPECT_EQ(decision.verdicts.size(), 2u);
}

class File : public testing::Test {
 protected:
  File() {
    settings_.file = folder_.path();
    settings_.judging_step = 10;
  }
  void write(const std::string& lines) {
    base::write_file_atomically(folder_ / "log.jsonl", lines);
  }
  std::string message() {
    return message_of([&] { make_policy(settings_, units()); });
  }
  std::string at(int line) { return (folder_ / "log.jsonl").string() + ":" + std::to_string(line); }

  const base::TemporaryFolder folder_;
  FreezeSettings settings_ = settings_of("file");
  const std::string start_ =
      R"({"event":"start","units":["layer.0","layer.1","layer.2","layer.3"],)"
      R"("mask":"1000","judging_step":10})"
      "\n";
};

TEST_F(File, ReplaysTheLastMaskThatWasRecordedSoFar) {
  write(start_ +
        R"({"event":"step","step":1,"loss":0.5}
{"event":"decision","step":10,"mask":"1000"}
{"event":"decision","step":20,"mask":"1100"}
{"event":"decision","step":40,"mask":"1110"}
)");
  const auto policy = make_policy(settings_, units());
  EXPECT_EQ(policy->initial_mask().text(), "1000");
  EXPECT_FALSE(policy->fixed_from_the_start());
  EXPECT_TRUE(policy->needs({}).units.empty());
  const std::pair<std::int64_t, const char*> cases[] = {{5, "1000"},  {10, "1000"}, {20, "1100"},
                                                        {30, "1100"}, {40, "1110"}, {90, "1110"}};
  for (const auto& [steps, mask] : cases) {
    EXPECT_EQ(policy->decide({.steps = steps}, {}).mask.text(), mask) << steps;
  }
}

TEST_F(File, GoesOnWithEverythingFrozenIfTheRunBeganSo) {
  std::string text = start_;
  text.replace(text.find("1000"), 4, "1111");
  write(text);
  EXPECT_TRUE(make_policy(settings_, units())->fixed_from_the_start());
}

TEST_F(File, NamesTheLineThatIsBroken) {
  write(start_ + "{\"event\":\"decision\",\"ste\n");
  EXPECT_THAT(message(), HasSubstr(at(2) + ": the line is broken"));
  write(start_ + "{\"event\":\"decision\",\"mask\":\"1100\"}\n");
  EXPECT_THAT(message(), HasSubstr(at(2) + ": the line is broken"));
  write(start_ + "[]\n");
  EXPECT_THAT(message(), HasSubstr(at(2)));
  write(start_ + "{\"event\":\"decision\",\"step\":10,\"mask\":\"110\"}\n");
  EXPECT_THAT(message(),
              HasSubstr(at(2) + ": the mask \"110\" is broken; it has one 0 or 1 for each "
                                "of the 4 units"));
  write(start_ + "{\"event\":\"decision\",\"step\":10,\"mask\":\"11x0\"}\n");
  EXPECT_THAT(message(), HasSubstr("the mask \"11x0\" is broken"));
}

TEST_F(File, RefusesARunOfAnotherModel) {
  std::string text = start_;
  text.replace(text.find("layer.2"), 7, "blocks.2");
  write(text);
  EXPECT_THAT(message(),
              HasSubstr(at(1) + ": the run is of another model: its unit 3 is 'blocks.2', "
                                "this one's is 'layer.2'"));
  write(R"({"event":"start","units":["layer.0"],"mask":"1","judging_step":10})");
  EXPECT_THAT(message(), HasSubstr("it has 1 units, this one has 4"));
}

TEST_F(File, RefusesARunWithOtherJudgingSteps) {
  settings_.judging_step = 20;
  write(start_);
  EXPECT_THAT(message(), HasSubstr(at(1) + ": the run was judged every 10 steps, and "
                                           "freeze.judging_step = 20; use 10"));
}

TEST_F(File, RefusesAFolderWithoutALog) {
  EXPECT_THAT(message(), HasSubstr("log.jsonl: there is no such log; freeze.file takes"));
  write("{\"event\":\"step\",\"step\":1}\n");
  EXPECT_THAT(message(), HasSubstr("log.jsonl: the log has no \"start\" event"));
}

}  // namespace
}  // namespace frostline::policy
