#include <gtest/gtest.h>

#include "base/document.h"
#include "tests/base/throws.h"

namespace frostline::base {
namespace {

const Words kKnown = {"seed",        "name",      "freeze.policy", "freeze.judging_step",
                      "cost.device", "cost.link", "cost.jitter"};

struct Row {
  std::string text;
  std::string message;
};

std::string problems_of(Document doc, const Words& known = kKnown) {
  doc.reject_unknown(known);
  return message_of([&] { doc.throw_if_invalid(); });
}

std::string problems_of(const std::string& text, const Words& known = kKnown) {
  return problems_of(Document::from_text(text, "x.toml"), known);
}

std::string problems_of_override(const std::string& assignment) {
  Document doc = Document::from_text("[freeze]", "x.toml");
  doc.set(assignment);
  return problems_of(std::move(doc));
}

TEST(RejectUnknown, LetsKnownKeysPass) {
  EXPECT_EQ(problems_of(""), "");
  EXPECT_EQ(problems_of("seed = 1\ncost = {link = 1}\n[freeze]\npolicy = 1"), "");
  EXPECT_EQ(problems_of("freeze.policy = 1"), "");
  EXPECT_EQ(problems_of_override("cost.link=1"), "");
}

TEST(RejectUnknown, NamesTheNearestKey) {
  const Row rows[] = {
      {"\n[freeze]\npolcy = 1",
       "x.toml:3:1: unknown key 'freeze.polcy'; did you mean 'freeze.policy'?"},
      {"sede = 1", "x.toml:1:1: unknown key 'sede'; did you mean 'seed'?"},
      {"policy = 1", "x.toml:1:1: unknown key 'policy'; did you mean 'freeze.policy'?"},
      {"[freeze]\njitter = 1",
       "x.toml:2:1: unknown key 'freeze.jitter'; did you mean 'cost.jitter'?"},
      {"[freeze]\nseed = 1", "x.toml:2:1: unknown key 'freeze.seed'; did you mean 'seed'?"},
  };
  for (const Row& row : rows) EXPECT_EQ(problems_of(row.text), row.message);
}

TEST(RejectUnknown, ListsTheKeysWhereNoneIsNear) {
  const Row rows[] = {
      {"[freeze]\nx = 1",
       "x.toml:2:1: unknown key 'freeze.x'; the keys of 'freeze' are policy, judging_step"},
      {"x = 1", "x.toml:1:1: unknown key 'x'; the keys at the top are seed, name"},
      {"'a.b' = 1", "x.toml:1:1: unknown key '\"a.b\"'; the keys at the top are seed, name"},
      {"[freeze]\n\"\" = 1",
       "x.toml:2:1: unknown key 'freeze.\"\"'; the keys of 'freeze' are policy, judging_step"},
  };
  for (const Row& row : rows) EXPECT_EQ(problems_of(row.text), row.message);
  EXPECT_EQ(problems_of("x = 1", {"a.b"}), "x.toml:1:1: unknown key 'x'; the sections are a");
  EXPECT_EQ(problems_of("x = 1", {}), "x.toml:1:1: unknown key 'x'");
}

TEST(RejectUnknown, ReportsAnUnknownSectionOnce) {
  EXPECT_EQ(problems_of("[freze]\npolicy = 1\nx = 2"),
            "x.toml:1:1: unknown section 'freze'; did you mean 'freeze'?");
  EXPECT_EQ(problems_of("[xyz]"),
            "x.toml:1:1: unknown section 'xyz'; the sections are freeze, cost");
}

TEST(RejectUnknown, TellsKeysFromSections) {
  EXPECT_EQ(problems_of("freeze = 1"),
            "x.toml:1:1: 'freeze' is a section, not a key; use [freeze] and its keys below");
  EXPECT_EQ(problems_of("[[freeze]]\npolicy = 1"),
            "x.toml:1:3: 'freeze' is a section, not a key; use [freeze] and its keys below");
  EXPECT_EQ(problems_of("[seed]"), "x.toml:1:1: 'seed' is a key, not a section; use seed = value");
}

TEST(RejectUnknown, SurvivesNests) {
  EXPECT_EQ(problems_of("[freeze.x.y]\nz = 1"),
            "x.toml:1:9: unknown key 'freeze.x'; the keys of 'freeze' are policy, judging_step");
  EXPECT_EQ(problems_of("[[freeze.x]]\nz = 1"),
            "x.toml:1:10: unknown key 'freeze.x'; the keys of 'freeze' are policy, judging_step");
  EXPECT_EQ(problems_of("[[xyz]]"),
            "x.toml:1:3: unknown key 'xyz'; the keys at the top are seed, name");
}

TEST(RejectUnknown, SpeaksOfOverridesByTheirKey) {
  const Row rows[] = {
      {"freeze.polcy=1", "--set: unknown key 'freeze.polcy'; did you mean 'freeze.policy'?"},
      {"freze.policy=1", "--set: unknown key 'freze.policy'; did you mean 'freeze.policy'?"},
      {"xyz.abc=1", "--set: unknown key 'xyz.abc'; the sections are freeze, cost"},
      {"freeze.policy.x=1", "--set: unknown key 'freeze.policy.x'; did you mean 'freeze.policy'?"},
      {"freeze={policy=1}",
       "--set: 'freeze' is a section, not a key; use [freeze] and its keys below"},
  };
  for (const Row& row : rows) EXPECT_EQ(problems_of_override(row.text), row.message);
}

TEST(RejectUnknown, CollectsEverything) {
  EXPECT_EQ(problems_of("x = 1\n[freeze]\ny = 2\n[xyz]"),
            "x.toml:1:1: unknown key 'x'; the keys at the top are seed, name\n"
            "x.toml:3:1: unknown key 'freeze.y'; the keys of 'freeze' are policy, judging_step\n"
            "x.toml:4:1: unknown section 'xyz'; the sections are freeze, cost");
}

}  // namespace
}  // namespace frostline::base
