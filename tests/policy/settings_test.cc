#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "policy/freeze_settings.h"
#include "policy/policies/registry.h"
#include "policy/train_settings.h"
#include "tests/base/throws.h"

namespace frostline::policy {
namespace {

using base::Document;
using base::message_of;
using pipeline::UnitTable;
using testing::HasSubstr;

/// A scenario and what is said of it; "" where nothing is wrong.
struct Case {
  std::string text;
  std::string message;
};

void expect_message(const Case& one, const std::string& message) {
  if (one.message.empty()) {
    EXPECT_EQ(message, "") << one.text;
  } else {
    EXPECT_THAT(message, HasSubstr(one.message)) << one.text;
  }
}

// Six layers of one unit: layer.0 to layer.4 are the body, layer.5 is the head.
std::string freeze_message(const std::string& text,
                           const UnitTable& units = UnitTable::of_layers(6)) {
  Document document = Document::from_text("[freeze]\n" + text, "x.toml");
  const FreezeSettings settings = freeze_section().read(document);
  check_freeze(document, settings, units);
  return message_of([&] { document.throw_if_invalid(); });
}

TEST(FreezeSettings, RefuseWhatNoKeyAllows) {
  const Case cases[] = {
      {"policy = 'fixd'",
       "x.toml:2:10: freeze.policy = \"fixd\" is not allowed; use one of none, "
       "last_k, mask, fixed, file; did you mean 'fixed'?"},
      {"cut = 'stage'", "use one of prefix, first_stage, none"},
      {"unit = 'block'", "use one of layer, tensor"},
      {"change = 'shared'", "use one of relative, common, drift"},
      {"size = 'own'", "use one of absolute, self, median"},
      {"order = 'free'", "use one of prefix, any"},
      {"theta1 = 0", "freeze.theta1 = 0"},
      {"theta2 = 1.5", "between 0 and 1"},
      {"theta2 = -0.1", "between 0 and 1"},
      {"theta3 = 0.0", "more than 0"},
      {"judging_step = 0", "at least 1"},
      {"window = 0", "at least 1"},
      {"confirm = 0", "at least 1"},
      {"warm_up = -1", "at least 0"},
      {"policy = 'last_k'\nkeep_layers = -1", "at least 0"},
  };
  for (const Case& one : cases) expect_message(one, freeze_message(one.text));
}

TEST(FreezeSettings, RefuseWhatDoesNotFitTheModel) {
  const Case cases[] = {
      {"policy = 'last_k'\nkeep_layers = 7",
       "x.toml:3:15: freeze.keep_layers = 7 is more than the model's 6 layers; use 0 to 6"},
      {"policy = 'last_k'\nkeep_layers = 6", ""},
      {"policy = 'mask'\nfrozen_layers = 7",
       "x.toml:3:17: freeze.frozen_layers = 7 is more than the model's 6 layers"},
      {"policy = 'mask'\nfrozen_layers = 6", ""},
      {"policy = 'mask'\nfrozen = ['layer.1', 'layr.2']",
       "freeze.frozen: the model has no unit 'layr.2'; did you mean 'layer.2'?"},
      {"policy = 'mask'\nfrozen = ['attention']",
       "the model has no unit 'attention'; the units are layer.0 to layer.5"},
      {"policy = 'mask'", "freeze.policy = \"mask\" needs freeze.frozen_layers"},
      {"policy = 'mask'\nfrozen_layers = 0", ""},
      {"policy = 'file'", "freeze.policy = \"file\" needs freeze.file"},
      {"policy = 'file'\nfile = 'runs/a'", ""},
      {"policy = 'fixed'\nwindow = 6",
       "x.toml:3:10: freeze.window = 6 is more than the 5 units that the model has below its head; "
       "use at most 5"},
      {"policy = 'fixed'\nwindow = 5", ""},
      {"policy = 'fixed'", ""},  // the default window is 8
      {"policy = 'fixed'\nwarm_up = 0", "freeze.warm_up = 0 leaves freeze.size = \"self\""},
      {"policy = 'fixed'\nwarm_up = 0\nsize = 'median'", ""},
      {"policy = 'fixed'\njudging_step = 1\nwarm_up = 1", "use at least 2"},
      {"policy = 'fixed'\njudging_step = 1", ""},
      {"policy = 'fixed'\njudging_step = 1\nchange = 'drift'",
       "x.toml:3:16: freeze.judging_step = 1 leaves freeze.change = \"drift\" nothing to add up"},
  };
  for (const Case& one : cases) expect_message(one, freeze_message(one.text));
}

// What a comparison changes is the policy alone, so that other policies' keys may stand beside it;
// without any policy they were most likely meant to do something.
TEST(FreezeSettings, RefuseKeysOfAPolicyThatWasForgotten) {
  const Case cases[] = {
      {"frozen_layers = 2",
       "x.toml:2:17: freeze.frozen_layers has no effect: freeze.policy is not set; set it to "
       "\"mask\""},
      {"frozen = ['layer.0']", "freeze.frozen has no effect"},
      {"keep_layers = 2", "set it to \"last_k\""},
      {"file = 'runs/a'", "set it to \"file\""},
      {"frozen_layers = 0", ""},
      {"theta1 = 0.2", ""},
      {"policy = 'none'\nfrozen_layers = 2", ""},
  };
  for (const Case& one : cases) expect_message(one, freeze_message(one.text));
}

TEST(FreezeSettings, SayWhereNothingCouldEverFreeze) {
  UnitTable tied = UnitTable::of_layers(3);
  tied.units[0].layers = {{0}, {2}};
  EXPECT_THAT(
      freeze_message("policy = 'fixed'", tied),
      HasSubstr("freeze.order = \"prefix\" could never freeze anything: the first unit, "
                "'layer.0', belongs to the head, which never freezes; use order = \"any\""));
  EXPECT_EQ(freeze_message("policy = 'fixed'\norder = 'any'", tied), "");
  EXPECT_THAT(freeze_message("policy = 'fixed'\norder = 'any'", UnitTable::of_layers(1)),
              HasSubstr("has nothing to judge: all 1 units belong to the head"));
}

// A run's own scenario file holds every key.
TEST(FreezeSettings, WrittenOutReadBackWithoutAProblem) {
  for (const std::string& policy : policy_names()) {
    FreezeSettings settings;
    settings.policy = policy;
    settings.file = policy == "file" ? "/runs/a" : "";
    const std::string text = freeze_section().to_toml(settings);
    EXPECT_EQ(freeze_message(text.substr(text.find('\n') + 1)), "") << policy;
    Document document = Document::from_text(text, "x.toml");
    EXPECT_EQ(freeze_section().to_toml(freeze_section().read(document)), text);
  }
}

TEST(FreezeSettings, MeanWhatTheirWordsSay) {
  FreezeSettings settings;
  EXPECT_EQ(settings.unit_kind(), models::UnitKind::kLayer);
  EXPECT_EQ(settings.cut_kind(), pipeline::Cut::kPrefix);
  EXPECT_EQ(settings.change_kind(), pipeline::Change::kCommon);
  settings.unit = "tensor";
  settings.cut = "first_stage";
  settings.change = "drift";
  EXPECT_EQ(settings.unit_kind(), models::UnitKind::kTensor);
  EXPECT_EQ(settings.cut_kind(), pipeline::Cut::kFirstStage);
  EXPECT_EQ(settings.change_kind(), pipeline::Change::kDrift);
  EXPECT_EQ(to_word(pipeline::Change::kRelative), "relative");
  EXPECT_EQ(change_from("odd"), std::nullopt);
}

// Three micro-batches and judging steps of 20.
std::string train_message(const std::string& text) {
  Document document = Document::from_text(text, "x.toml");
  const TrainSettings settings = train_section().read(document);
  check_train(document, settings, 3, 20);
  return message_of([&] { document.throw_if_invalid(); });
}

TEST(TrainSettings, RefuseWhatNoKeyAllows) {
  const Case cases[] = {
      {"budget = 'epochs'", "use one of steps, time"},
      {"clock = 'sun'", "use one of wall, predicted"},
      {"optimizer = 'adamW'", "did you mean 'adamw'?"},
      {"schedule = 'step'", "use one of cosine, linear, constant"},
      {"steps = 0", "between 1 and 1000000000"},
      {"time_s = 0", "train.time_s = 0"},
      {"time_s = 1e9", "train.time_s = 1"},
      {"beta1 = 1.0", "use at least 0 and below 1"},
      {"warm_up = 1.1", "between 0 and 1"},
      {"learning_rate = -1", "more than 0"},
      {"validate_share = 2", "between 0 and 1"},
      {"checkpoint_every = -1", "at least 0"},
  };
  for (const Case& one : cases) expect_message(one, train_message("[train]\n" + one.text));
}

TEST(TrainSettings, RefuseWhatDoesNotFitTogether) {
  const std::string judged = "[freeze]\npolicy = 'fixed'\n";
  const Case cases[] = {
      {"[train]\nbatch = 31",
       "x.toml:2:9: train.batch = 31 is not a multiple of pipeline.micro_batches = 3; use 30 or "
       "33"},
      {"[train]\nbatch = 2", "use 3"},
      {"[train]\nbatch = 33", ""},
      {"[train]\nsteps = 50", ""},  // no model: the default batch has nothing to divide
      {"[model]\nkind = 'forecaster'", "train.batch = 32 is not a multiple"},
      {judged + "[train]\nsteps = 19",
       "freeze.judging_step = 20 is longer than the run of train.steps = 19: nothing would be "
       "judged; use at most 19"},
      {judged + "[train]\nsteps = 20", ""},
      {judged + "[train]\nbudget = 'time'\ntime_s = 3", ""},
      {"[freeze]\npolicy = 'none'\n[train]\nsteps = 19", ""},
      {"[train]\ntime_s = 3",
       "x.toml:2:10: train.time_s has no effect with train.budget = \"steps\"; give train.steps, "
       "or "
       "use budget = \"time\""},
      {"[train]\nbudget = 'time'\nsteps = 3", "give train.time_s, or use budget = \"steps\""},
      {"[train]\nbudget = 'time'\nsteps = 3\ntime_s = 3", ""},
  };
  for (const Case& one : cases) expect_message(one, train_message(one.text));
}

TEST(TrainSettings, MakeBudgetAndLearningRate) {
  TrainSettings settings;
  settings.steps = 70;
  EXPECT_EQ(settings.make_budget(), (pipeline::Budget{.steps = 70}));
  settings.budget = "time";
  settings.time_s = 1.5;
  const pipeline::Budget budget = settings.make_budget();
  EXPECT_EQ(budget.kind, pipeline::Budget::Kind::kTime);
  EXPECT_EQ(budget.time, std::chrono::milliseconds(1500));
  settings.schedule = "linear";
  settings.learning_rate = 0.5;
  settings.warm_up = 0.5;
  settings.final_learning_rate = 0.1;
  const pipeline::LearningRateRule rule = settings.make_rule();
  EXPECT_DOUBLE_EQ(rule.at(0.25), 0.25);
  EXPECT_DOUBLE_EQ(rule.at(0.75), 0.5 * (0.1 + 0.9 * 0.5));
}

TEST(TrainSettings, WrittenOutReadBackWithoutAProblem) {
  const std::string text = train_section().to_toml(TrainSettings{});
  EXPECT_EQ(train_message(text), "");
}

TEST(Sections, DocumentEveryKey) {
  for (const auto* info : {&freeze_section().info(), &train_section().info()}) {
    for (const base::KeyInfo& key : info->keys) {
      EXPECT_FALSE(key.doc.empty()) << key.name;
      EXPECT_EQ(key.doc.back(), '.') << key.name;
    }
  }
  EXPECT_EQ(freeze_section().info().keys.size(), 18u);
  EXPECT_EQ(train_section().info().keys.size(), 19u);
}

}  // namespace
}  // namespace frostline::policy
