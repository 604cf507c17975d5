#include "base/section.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <bit>
#include <cmath>
#include <limits>

#include "tests/base/throws.h"

namespace frostline::base {
namespace {

using Either = std::variant<std::string, Integers>;

struct Settings {
  bool enabled = true;
  std::int64_t step = 5;
  double share = 0.5;
  std::string policy = "none";
  std::filesystem::path file;
  Integers epochs = {1, 2};
  Numbers weights = {1, 0.25};
  Words tags = {"a"};
  Either layers = "all";

  bool operator==(const Settings&) const = default;
};

Section<Settings> section(const std::string& name = "freeze") {
  return Section<Settings>(name, "When parameters are frozen.")
      .key("enabled", &Settings::enabled, "Whether.")
      .key("step", &Settings::step, at_least(1), "Steps.")
      .key("share", &Settings::share, between(0.0, 1.0), "Share.")
      .key("policy", &Settings::policy, one_of({"none", "fixed"}), "Policy.")
      .key("file", &Settings::file, "File.")
      .key("epochs", &Settings::epochs, above(0), "Epochs.")
      .key("weights", &Settings::weights, at_least(0.0), "Weights.")
      .key("tags", &Settings::tags, one_of({"a", "b", "gamma"}), "Tags.")
      .key("layers", &Settings::layers, one_of({"all", "none"}), "Layers.");
}

Section<Settings> free_section(const std::string& name = "freeze") {
  return Section<Settings>(name, "")
      .key("enabled", &Settings::enabled, "")
      .key("step", &Settings::step, "")
      .key("share", &Settings::share, "")
      .key("policy", &Settings::policy, "")
      .key("file", &Settings::file, "")
      .key("epochs", &Settings::epochs, "")
      .key("weights", &Settings::weights, "")
      .key("tags", &Settings::tags, "")
      .key("layers", &Settings::layers, at_least(0), "");
}

std::string problems_of(const std::string& key_and_value) {
  Document doc = Document::from_text("[freeze]\n" + key_and_value, "x.toml");
  EXPECT_EQ(section().read(doc), Settings());
  return message_of([&] { doc.throw_if_invalid(); });
}

TEST(Section, ReadsEveryKey) {
  Document doc = Document::from_text(
      "[freeze]\nenabled = false\nstep = 7\nshare = 1\npolicy = 'fixed'\nfile = '/f'\n"
      "epochs = [3]\nweights = [2, 0.5]\ntags = ['b', 'a']\nlayers = [0, 4]",
      "x.toml");
  const Settings expected{false, 7, 1, "fixed", "/f", {3}, {2, 0.5}, {"b", "a"}, Integers{0, 4}};
  EXPECT_EQ(section().read(doc), expected);
  EXPECT_TRUE(doc.valid());
}

TEST(Section, DefaultsAreTheMembersOwn) {
  Document doc = Document::from_text("", "x.toml");
  EXPECT_EQ(section().read(doc), Settings());
  EXPECT_TRUE(doc.valid());
}

TEST(Section, RefusesWhatIsNotAllowed) {
  struct Row {
    std::string text;
    std::string message;
  };
  const Row rows[] = {
      {"step = 0", "x.toml:2:8: freeze.step = 0 is not allowed; use at least 1"},
      {"share = 1.5", "x.toml:2:9: freeze.share = 1.5 is not allowed; use between 0 and 1"},
      {"policy = 'fixd'",
       "x.toml:2:10: freeze.policy = \"fixd\" is not allowed; use one of none, fixed; did you "
       "mean 'fixed'?"},
      {"policy = 'x'", "x.toml:2:10: freeze.policy = \"x\" is not allowed; use one of none, fixed"},
      {"epochs = [1, 0, 2]",
       "x.toml:2:10: freeze.epochs: element 2 = 0 is not allowed; use more than 0"},
      {"weights = -1",
       "x.toml:2:11: freeze.weights: element 1 = -1.0 is not allowed; use at least 0"},
      {"tags = ['c', 'gama']",
       "x.toml:2:8: freeze.tags: element 1 = \"c\" is not allowed; use one of a, b, gamma\n"
       "x.toml:2:8: freeze.tags: element 2 = \"gama\" is not allowed; use one of a, b, gamma; "
       "did you mean 'gamma'?"},
      {"layers = 'al'",
       "x.toml:2:10: freeze.layers = \"al\" is not allowed; use one of all, none; did you mean "
       "'all'?"},
      {"step = 'x'", "x.toml:2:8: freeze.step = \"x\" is a string; use an integer"},
  };
  for (const Row& row : rows) EXPECT_EQ(problems_of(row.text), row.message);
}

TEST(Section, AllowedSpeaksOfTheAlternativeItFits) {
  Document doc = Document::from_text("[freeze]\nlayers = [0, -1]", "x.toml");
  free_section().read(doc);
  EXPECT_EQ(message_of([&] { doc.throw_if_invalid(); }),
            "x.toml:2:10: freeze.layers: element 2 = -1 is not allowed; use at least 0");
}

TEST(Section, KeepsTheGoodKeysOfABadSection) {
  Document doc = Document::from_text("[freeze]\nstep = 0\nenabled = false", "x.toml");
  const Settings settings = section().read(doc);
  EXPECT_EQ(settings.step, 5);
  EXPECT_FALSE(settings.enabled);
}

TEST(Section, DocumentsItsKeys) {
  const SectionInfo info = section().info();
  EXPECT_EQ(info.name, "freeze");
  EXPECT_EQ(info.doc, "When parameters are frozen.");
  std::string table;
  for (const KeyInfo& key : info.keys) {
    table +=
        key.name + "|" + key.type + "|" + key.allowed + "|" + key.fallback + "|" + key.doc + "\n";
  }
  EXPECT_EQ(table,
            "enabled|boolean||true|Whether.\n"
            "step|integer|at least 1|5|Steps.\n"
            "share|number|between 0 and 1|0.5|Share.\n"
            "policy|string|one of none, fixed|\"none\"|Policy.\n"
            "file|path||\"\"|File.\n"
            "epochs|list of integers|more than 0|[1, 2]|Epochs.\n"
            "weights|list of numbers|at least 0|[1.0, 0.25]|Weights.\n"
            "tags|list of strings|one of a, b, gamma|[\"a\"]|Tags.\n"
            "layers|string or list of integers|one of all, none|\"all\"|Layers.\n");
}

TEST(Section, NamesKeysInFull) {
  EXPECT_EQ(section().info().full_name("step"), "freeze.step");
  EXPECT_EQ(section("").info().full_name("step"), "step");
}

TEST(Section, WritesEveryKeyAsToml) {
  EXPECT_EQ(section().to_toml(Settings()),
            "[freeze]\nenabled = true\nstep = 5\nshare = 0.5\npolicy = \"none\"\nfile = \"\"\n"
            "epochs = [1, 2]\nweights = [1.0, 0.25]\ntags = [\"a\"]\nlayers = \"all\"\n");
}

TEST(Section, TheTopOfTheFileHasNoHeader) {
  Document doc = Document::from_text("step = 0", "x.toml");
  section("").read(doc);
  EXPECT_EQ(message_of([&] { doc.throw_if_invalid(); }),
            "x.toml:1:8: step = 0 is not allowed; use at least 1");
  EXPECT_EQ(section("").to_toml(Settings()).find("enabled"), 0U);
}

rc::Gen<std::string> any_text() {
  return rc::gen::map(
      rc::gen::container<Words>(rc::gen::element<std::string>(
          "a", "ä", "€", "😀", "\"", "'", "\\", "\n", "\r", "\t", std::string(1, '\0'), "\x01",
          "\x1f", "\x7f", "#", "=", "[", "]", "\"\"\"", "\\u0041", " ")),
      [](const Words& pieces) {
        std::string text;
        for (const std::string& piece : pieces) text += piece;
        return text;
      });
}

rc::Gen<double> any_number() {
  using Limits = std::numeric_limits<double>;
  const auto bits = rc::gen::map(rc::gen::arbitrary<std::uint64_t>(), [](std::uint64_t pattern) {
    const auto value = std::bit_cast<double>(pattern);
    return std::isfinite(value) ? value : 0.0;
  });
  return rc::gen::oneOf(bits, rc::gen::map<std::int64_t>([](auto i) { return double(i); }),
                        rc::gen::element(0.1, 1e-9, 1.0, -0.0, 1e22, 1e300, Limits::min(),
                                         Limits::max(), Limits::denorm_min()));
}

Settings any_settings() {
  Settings s;
  s.enabled = *rc::gen::arbitrary<bool>();
  s.step = *rc::gen::arbitrary<std::int64_t>();
  s.share = *any_number();
  s.policy = *any_text();
  s.file = *rc::gen::arbitrary<bool>() ? "" : "/" + *any_text();
  s.epochs = *rc::gen::arbitrary<Integers>();
  s.weights = *rc::gen::container<Numbers>(any_number());
  s.tags = *rc::gen::container<Words>(any_text());
  s.layers = *rc::gen::arbitrary<bool>() ? Either(*any_text()) : Either(Integers{0, 3});
  return s;
}

RC_GTEST_PROP(SectionProperty, TomlReadsBackEqual, ()) {
  const Settings settings = any_settings();
  const std::string name = *rc::gen::element<std::string>("freeze", "");
  const auto whole = free_section(name);
  Document doc = Document::from_text(whole.to_toml(settings), "x.toml");
  RC_ASSERT(whole.read(doc) == settings);
  doc.throw_if_invalid();
}

}  // namespace
}  // namespace frostline::base
