#include "models/settings.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace frostline::models {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

const char* const kData = "\n[data]\nfile = \"load.csv\"\nseries = [\"1\", \"2\"]\n";

/// What is wrong with a scenario that has these two sections.
std::vector<std::string> problems(const std::string& text) {
  base::Document document = base::Document::from_text(text, "x.toml");
  const ModelSettings model = model_section().read(document);
  const DataSettings data = data_section().read(document);
  check_model(document, model, data);
  try {
    document.throw_if_invalid();
  } catch (const base::InvalidInput& invalid) {
    std::vector<std::string> texts;
    for (const base::Problem& problem : invalid.problems()) texts.push_back(problem.text());
    return texts;
  }
  return {};
}

std::vector<std::string> model_problems(const std::string& keys) {
  return problems("[model]\nkind = \"forecaster\"\n" + keys + kData);
}

TEST(ModelSettingsTest, AcceptsTheDefaults) {
  EXPECT_THAT(model_problems(""), IsEmpty());
  EXPECT_THAT(problems(""), IsEmpty());
}

TEST(ModelSettingsTest, ReadsBackWhatItWrites) {
  ModelSettings model;
  model.kind = "forecaster";
  model.width = 128;
  model.dropout = 0.25;
  DataSettings data;
  data.series = {"1", "3"};
  data.train_share = 0.65;
  base::Document document = base::Document::from_text(
      model_section().to_toml(model) + "\n" + data_section().to_toml(data), "x.toml");
  const ModelSettings model_read = model_section().read(document);
  const DataSettings data_read = data_section().read(document);
  EXPECT_TRUE(document.valid());
  EXPECT_EQ(model_read.width, 128);
  EXPECT_EQ(model_read.dropout, 0.25);
  EXPECT_EQ(data_read.series, data.series);
  EXPECT_EQ(data_read.train_share, 0.65);
}

TEST(ModelSettingsTest, DocumentsEveryKey) {
  for (const base::SectionInfo& info : {model_section().info(), data_section().info()}) {
    EXPECT_THAT(info.doc, Not(IsEmpty()));
    for (const base::KeyInfo& key : info.keys) EXPECT_THAT(key.doc, Not(IsEmpty())) << key.name;
  }
}

TEST(ModelSettingsTest, SaysWhichSizesFit) {
  EXPECT_THAT(model_problems("width = 98\nheads = 4\n"),
              ElementsAre("x.toml:3:9: model.width = 98 is not a multiple of model.heads = 4; use "
                          "96 or 100"));
  EXPECT_THAT(model_problems("width = 3\nheads = 4\n"), ElementsAre(HasSubstr("; use 4")));
  EXPECT_THAT(model_problems("patch = 9\n"),
              ElementsAre(HasSubstr("data.context = 168 is not a multiple of model.patch = 9; use "
                                    "162 or 171")));
}

TEST(ModelSettingsTest, RefusesAbsurdSizes) {
  EXPECT_THAT(model_problems("width = 16388\n"), ElementsAre(HasSubstr("between 1 and 16384")));
  EXPECT_THAT(model_problems("blocks = 0\n"), ElementsAre(HasSubstr("between 1 and 1024")));
  EXPECT_THAT(model_problems("mlp_ratio = 65\n"), ElementsAre(HasSubstr("between 1 and 64")));
  EXPECT_THAT(model_problems("dropout = 1.0\n"), ElementsAre(HasSubstr("between 0 and 0.9")));
  EXPECT_THAT(problems("[data]\nhorizon = 1000000"), ElementsAre(HasSubstr("between 1 and 8784")));
  EXPECT_THAT(problems("[data]\nstride = 0"), ElementsAre(HasSubstr("at least 1")));
}

TEST(ModelSettingsTest, SuggestsTheKind) {
  EXPECT_THAT(problems("[model]\nkind = \"forcaster\""),
              ElementsAre(HasSubstr("use \"forecaster\" or \"gpt\", or leave the key out; did "
                                    "you mean 'forecaster'?")));
}

TEST(ModelSettingsTest, AGptNeedsNoData) {
  EXPECT_THAT(problems("[model]\nkind = \"gpt\"\nsequence = 2048\ntied = true\n"), IsEmpty());
}

TEST(ModelSettingsTest, RefusesKeysOfAnotherKind) {
  EXPECT_THAT(problems("[model]\nkind = \"gpt\"\npatch = 4\nweights = \"w\"\n"),
              ElementsAre("x.toml:3:9: model.patch is not used by model.kind = \"gpt\"; remove it",
                          HasSubstr("model.weights is not used")));
  EXPECT_THAT(model_problems("vocabulary = 9\nsequence = 9\ntied = true\n"),
              ElementsAre(HasSubstr("model.vocabulary"), HasSubstr("model.sequence"),
                          HasSubstr("model.tied is not used by model.kind = \"forecaster\"")));
  EXPECT_THAT(model_problems("patch = 8\nsequence = 1024\n"), IsEmpty());
}

TEST(DataSettingsTest, WantsAFileAndSeriesForAModel) {
  EXPECT_THAT(problems("[model]\nkind = \"forecaster\"\n"),
              ElementsAre(HasSubstr("data.file is missing"), HasSubstr("data.series is empty")));
}

TEST(DataSettingsTest, WantsEverySeriesOnce) {
  EXPECT_THAT(problems("[model]\nkind = \"forecaster\"\n[data]\nfile = \"load.csv\"\n"
                       "series = [\"1\", \"2\", \"1\", \"1\"]\n"),
              ElementsAre("x.toml:5:10: data.series names '1' twice"));
}

TEST(DataSettingsTest, SaysThatNoTestPartIsLeft) {
  EXPECT_THAT(problems("[model]\nkind = \"forecaster\"\n" + std::string(kData) +
                       "train_share = 0.8\nvalidation_share = 0.2\n"),
              ElementsAre("x.toml:7:15: data.train_share = 0.8 and data.validation_share = 0.2 "
                          "leave no test part; their sum must be below 1"));
}

}  // namespace
}  // namespace frostline::models
