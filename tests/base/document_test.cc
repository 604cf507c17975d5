#include "base/document.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "base/file.h"
#include "tests/base/temporary_folder.h"
#include "tests/base/throws.h"

namespace frostline::base {
namespace {

namespace fs = std::filesystem;
using Either = std::variant<std::string, Integers>;

Document document(const std::string& text) { return Document::from_text(text, "x.toml"); }

/// Reads "a.b" as a V out of a section [a].
template <class V>
std::string fault_of(const std::string& value) {
  Document doc = document("[a]\nb = " + value + "\n");
  V out{};
  EXPECT_FALSE(doc.read("a.b", out)) << value;
  return message_of([&] { doc.throw_if_invalid(); });
}

template <class V>
V value_of(const std::string& value) {
  Document doc = document("[a]\nb = " + value + "\n");
  V out{};
  EXPECT_TRUE(doc.read("a.b", out)) << value;
  EXPECT_EQ(message_of([&] { doc.throw_if_invalid(); }), "");
  return out;
}

TEST(Document, ReadsEveryType) {
  EXPECT_EQ(value_of<bool>("true"), true);
  EXPECT_EQ(value_of<std::int64_t>("-9223372036854775808"), INT64_MIN);
  EXPECT_EQ(value_of<double>("2.5"), 2.5);
  EXPECT_EQ(value_of<double>("2"), 2.0);
  EXPECT_EQ(value_of<std::string>("'a'"), "a");
  EXPECT_EQ(value_of<Integers>("[1, 2]"), (Integers{1, 2}));
  EXPECT_EQ(value_of<Integers>("[]"), Integers{});
  EXPECT_EQ(value_of<Integers>("3"), Integers{3});
  EXPECT_EQ(value_of<Numbers>("[1, 2.5]"), (Numbers{1, 2.5}));
  EXPECT_EQ(value_of<Numbers>("3"), Numbers{3});
  EXPECT_EQ(value_of<Words>("['a', 'b']"), (Words{"a", "b"}));
  EXPECT_EQ(value_of<Words>("'a'"), Words{"a"});
  EXPECT_EQ(value_of<Either>("'all'"), Either("all"));
  EXPECT_EQ(value_of<Either>("[1, 2]"), Either(Integers{1, 2}));
  EXPECT_EQ(value_of<Either>("1"), Either(Integers{1}));
}

TEST(Document, SaysBothTypes) {
  EXPECT_EQ(fault_of<bool>("1"), "x.toml:2:5: a.b = 1 is an integer; use true or false");
  EXPECT_EQ(fault_of<std::int64_t>("1.5"), "x.toml:2:5: a.b = 1.5 is a float; use an integer");
  EXPECT_EQ(fault_of<double>("'1'"), "x.toml:2:5: a.b = \"1\" is a string; use a number");
  EXPECT_EQ(fault_of<std::string>("true"), "x.toml:2:5: a.b = true is a boolean; use a string");
  EXPECT_EQ(fault_of<fs::path>("[1, 'a']"),
            "x.toml:2:5: a.b = [1, \"a\"] is a list; use a path as a string");
  EXPECT_EQ(fault_of<Integers>("{c = 1}"),
            "x.toml:2:5: a.b = {...} is a table; use a list of integers");
  EXPECT_EQ(fault_of<Numbers>("2020-02-03"),
            "x.toml:2:5: a.b = 2020-02-03 is a date; use a list of numbers");
  EXPECT_EQ(fault_of<Words>("07:32:00"),
            "x.toml:2:5: a.b = 07:32:00 is a time; use a list of strings");
  EXPECT_EQ(fault_of<Either>("1.5"),
            "x.toml:2:5: a.b = 1.5 is a float; use a string or a list of integers");
}

TEST(Document, SaysWhichElementIsWrong) {
  EXPECT_EQ(fault_of<Integers>("[\n1,\n 'a']"),
            "x.toml:4:2: a.b: element 2 = \"a\" is a string; use an integer");
  EXPECT_EQ(fault_of<Numbers>("[nan]"),
            "x.toml:2:6: a.b: element 1 = nan is not finite; use a finite number");
  EXPECT_EQ(fault_of<Either>("['a']"),
            "x.toml:2:6: a.b: element 1 = \"a\" is a string; use an integer");
  EXPECT_EQ(fault_of<Words>("[[]]"), "x.toml:2:6: a.b: element 1 = [] is a list; use a string");
}

TEST(Document, NumbersAreFinite) {
  EXPECT_EQ(fault_of<double>("nan"), "x.toml:2:5: a.b = nan is not finite; use a finite number");
  EXPECT_EQ(fault_of<double>("-inf"), "x.toml:2:5: a.b = -inf is not finite; use a finite number");
  EXPECT_EQ(fault_of<Numbers>("inf"), "x.toml:2:5: a.b = inf is not finite; use a finite number");
}

TEST(Document, ShortensLongValuesBetweenCharacters) {
  const std::string message = fault_of<bool>("'x" + std::string(70, 'a') + "'");
  EXPECT_EQ(message,
            "x.toml:2:5: a.b = \"x" + std::string(55, 'a') + "... is a string; use true or false");
  std::string umlauts;
  for (int i = 0; i < 40; ++i) umlauts += "ä";
  EXPECT_THAT(fault_of<bool>("'" + umlauts + "'"), testing::HasSubstr("ä... is a string"));
}

TEST(Document, ReportsAWrongTypeOnce) {
  Document doc = document("[a]\nb = 'x'");
  std::int64_t integer = 7;
  double number = 7;
  EXPECT_FALSE(doc.read("a.b", integer));
  EXPECT_FALSE(doc.read("a.b", number));
  EXPECT_EQ(integer, 7);
  EXPECT_EQ(number, 7);
  EXPECT_EQ(message_of([&] { doc.throw_if_invalid(); }),
            "x.toml:2:5: a.b = \"x\" is a string; use an integer");
}

TEST(Document, AnAbsentKeyLeavesTheValue) {
  Document doc = document("[a]");
  std::int64_t out = 7;
  EXPECT_FALSE(doc.read("a.b", out));
  EXPECT_EQ(out, 7);
  EXPECT_TRUE(doc.valid());
  EXPECT_NO_THROW(doc.throw_if_invalid());
}

TEST(Document, KnowsWhatIsThereAndWhere) {
  const Document doc = document("seed = 1\n\n[a]\nb = 2\n[c.d]\n");
  EXPECT_TRUE(doc.has("seed"));
  EXPECT_TRUE(doc.has("a.b"));
  EXPECT_FALSE(doc.has("a.c"));
  EXPECT_FALSE(doc.has("a"));
  EXPECT_TRUE(doc.has_section("a"));
  EXPECT_TRUE(doc.has_section("c"));
  EXPECT_FALSE(doc.has_section("seed"));
  EXPECT_EQ(doc.place("seed").text(), "x.toml:1:8");
  EXPECT_EQ(doc.place("a.b").text(), "x.toml:4:5");
  EXPECT_EQ(doc.place("a.c").text(), "x.toml:3:1");
  EXPECT_EQ(doc.place("z.c").text(), "x.toml");
}

TEST(Document, SortsProblemsByPlaceWithOverridesLast) {
  Document doc = document("[a]\nb = 1\nc = 2");
  doc.set("a.z=1");
  doc.set("a.d=2");
  for (const char* key : {"a.d", "a.z", "a.c", "a.b", "a.b", "none"}) doc.problem(key, key);
  EXPECT_FALSE(doc.valid());
  EXPECT_EQ(message_of([&] { doc.throw_if_invalid(); }),
            "x.toml: none\nx.toml:2:5: a.b\nx.toml:3:5: a.c\n--set: a.z\n--set: a.d");
}

TEST(Document, WhatIsNotTomlIsInvalid) {
  struct Row {
    std::string text;
    std::string message;
  };
  const Row rows[] = {
      {"[a]\nb = ", "x.toml:2:5: this is not TOML: "}, {"a = 1\na = 2", "x.toml:2:"},
      {"a = 99999999999999999999", "x.toml:1:"},       {"a = 1e999", "x.toml:1:"},
      {"\xff", "x.toml:1:1: this is not TOML: "},
  };
  for (const Row& row : rows) {
    EXPECT_THROW(document(row.text), InvalidInput);
    EXPECT_THAT(message_of([&] { document(row.text); }), testing::StartsWith(row.message));
  }
}

TEST(DocumentSet, LiesOverTheFile) {
  Document doc = document("seed = 1\n[a]\nb = 1");
  for (const char* assignment : {"a.b=2", "seed = 3", "c.d=[1, 2]", "a.b=4"}) doc.set(assignment);
  std::int64_t b = 0, seed = 0;
  Integers d;
  EXPECT_TRUE(doc.read("a.b", b) && doc.read("seed", seed) && doc.read("c.d", d));
  EXPECT_EQ(b, 4);
  EXPECT_EQ(seed, 3);
  EXPECT_EQ(d, (Integers{1, 2}));
  EXPECT_TRUE(doc.has_section("c"));
  EXPECT_EQ(doc.place("a.b").text(), "--set");
  EXPECT_EQ(doc.place("c.x").text(), "--set");
  EXPECT_EQ(doc.place("a.x").text(), "x.toml:2:1");
}

TEST(DocumentSet, TakesABareWordForAString) {
  for (const char* word : {"fixed", "1f1b", "e1", "../x", "a.b#c", "zb-h1", "/tmp/a=b"}) {
    Document doc = document("");
    std::string out;
    doc.set(std::string("a.b=") + word);
    EXPECT_TRUE(doc.read("a.b", out)) << word;
    EXPECT_EQ(out, word);
  }
}

TEST(DocumentSet, TakesQuotedStrings) {
  Document doc = document("");
  std::string out;
  doc.set("a.b = \"two words\" ");
  EXPECT_TRUE(doc.read("a.b", out));
  EXPECT_EQ(out, "two words");
}

TEST(DocumentSet, WhatIsNoAssignmentIsAProblem) {
  for (const char* text : {"", "a", "a.b", "=1", "a.=1", ".b=1", "a..b=1", "a b=1", "'a'.b=1"}) {
    Document doc = document("");
    doc.set(text);
    EXPECT_EQ(message_of([&] { doc.throw_if_invalid(); }),
              "--set: '" + std::string(text) + "' is not an assignment; use section.key=value");
  }
}

TEST(DocumentSet, AValueThatIsNotTomlIsAProblem) {
  for (const char* text : {"a.b=", "a.b=two words", "a.b=[1", "a.b='x", "a.b=99999999999999999999",
                           "a.b=1e999", "a.b=1\nc=2", "a.b=1.2.3", "a.b=\xff"}) {
    Document doc = document("");
    doc.set(text);
    const std::string message = message_of([&] { doc.throw_if_invalid(); });
    EXPECT_THAT(message, testing::StartsWith("--set: the value in '" + std::string(text) +
                                             "' is not TOML ("));
    EXPECT_THAT(message, testing::EndsWith("); put a string in quotes"));
    EXPECT_FALSE(doc.has("a.b"));
  }
}

TEST(DocumentSet, AnotherOptionStandsInMessagesUnderItsName) {
  auto doc = Document::from_text("", "x.toml");
  doc.set("a.b=often", "--vary");
  doc.set("nonsense", "--vary");
  std::int64_t out = 0;
  EXPECT_FALSE(doc.read("a.b", out));
  EXPECT_EQ(doc.place("a.b").text(), "--vary");
  try {
    doc.throw_if_invalid();
    FAIL();
  } catch (const InvalidInput& error) {
    for (const auto& problem : error.problems()) EXPECT_EQ(problem.place.text(), "--vary");
    EXPECT_EQ(error.problems().size(), 2u);
  }
}

TEST(DocumentSet, AWrongTypeIsAProblemOfTheOverride) {
  Document doc = document("[a]\nb = 1");
  std::int64_t out = 0;
  doc.set("a.b=often");
  EXPECT_FALSE(doc.read("a.b", out));
  EXPECT_EQ(message_of([&] { doc.throw_if_invalid(); }),
            "--set: a.b = \"often\" is a string; use an integer");
}

TEST(DocumentPath, ResolvesAgainstTheFolderOrTheCurrentOne) {
  Document doc = Document::from_text("[a]\nb = 'x/y'\nc = ''\nd = '/z'\ne = 'w'", "x.toml", "/in");
  doc.set("a.e=w");
  fs::path b, c("old"), d, e;
  EXPECT_TRUE(doc.read("a.b", b) && doc.read("a.c", c) && doc.read("a.d", d) && doc.read("a.e", e));
  EXPECT_EQ(b, "/in/x/y");
  EXPECT_EQ(c, "");
  EXPECT_EQ(d, "/z");
  EXPECT_EQ(e, fs::current_path() / "w");
}

TEST(DocumentPath, AFilesFolderIsItsOwn) {
  const TemporaryFolder folder;
  write_file_atomically(folder / "s.toml", "model = 'm.json'");
  Document doc = Document::from_file(folder / "s.toml");
  fs::path model;
  EXPECT_TRUE(doc.read("model", model));
  EXPECT_EQ(model, folder / "m.json");
  EXPECT_EQ(doc.place("model").source, folder / "s.toml");
}

TEST(DocumentPath, AFileInPlaceOfANameIsMadeAbsolute) {
  Document doc = Document::from_text("a = 'file:x/y.csv'\nb = 'name'\nc = 'file:'", "s", "/base");
  doc.set("d=file:w.csv");
  const auto read = [&](const char* key) {
    NameOrFile value;
    EXPECT_TRUE(doc.read(key, value));
    return value;
  };
  EXPECT_EQ(read("a").text, "file:/base/x/y.csv");
  EXPECT_EQ(read("a").file(), "/base/x/y.csv");
  EXPECT_FALSE(read("b").is_file());
  EXPECT_EQ(read("b").text, "name");
  EXPECT_EQ(read("c").text, "file:");
  EXPECT_EQ(read("d").file(), fs::current_path() / "w.csv");
}

TEST(Document, AMissingFileIsAnErrorButNotInvalid) {
  try {
    Document::from_file("/missing/s.toml");
    FAIL();
  } catch (const InvalidInput&) {
    FAIL();
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(), "/missing/s.toml: cannot be opened: No such file or directory");
  }
}

RC_GTEST_PROP(DocumentProperty, AnyTextParsesOrIsInvalid, ()) {
  const auto pieces = *rc::gen::container<Words>(
      rc::gen::element<std::string>("a", "b", ".", "=", " ", "\n", "[", "]", "{", "}", "\"", "'",
                                    "1", "-", "e", ",", "#", "nan"));
  std::string text;
  for (const std::string& piece : pieces) text += piece;
  try {
    Document doc = document(text);
    doc.set(text);
    doc.reject_unknown({"a.b", "a"});
    Integers out;
    doc.read("a.b", out);
    doc.throw_if_invalid();
  } catch (const InvalidInput& error) {
    RC_ASSERT(!error.problems().empty());
  }
}

}  // namespace
}  // namespace frostline::base
