#include "base/nearest.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <optional>

#include <string>
#include <vector>

namespace frostline::base {
namespace {

using Candidates = std::vector<std::string>;

TEST(Nearest, FindsLikelyTypingMistakes) {
  struct Row {
    std::string word;
    Candidates candidates;
    std::optional<std::string> expected;
  };
  const Row rows[] = {{"polcy", {"step", "policy"}, "policy"},
                      {"poilcy", {"policy"}, "policy"},
                      {"seed", {"seed"}, "seed"},
                      {"sed", {"speed", "seed"}, "seed"},
                      {"bat", {"cat", "hat"}, "cat"},
                      {"ab", {"ba"}, "ba"},
                      {"x", {"y"}, std::nullopt},
                      {"", {"y"}, std::nullopt},
                      {"", {}, std::nullopt},
                      {"momentum", {"policy", "seed"}, std::nullopt}};
  for (const Row& row : rows)
    EXPECT_EQ(nearest(row.word, row.candidates), row.expected) << row.word;
}

TEST(Nearest, CountsASwapAsOneMistake) {
  EXPECT_EQ(nearest("abdc", Candidates{"abxx", "abcd"}), "abcd");
  EXPECT_EQ(nearest("baed", Candidates{"abde"}), std::nullopt);  // two swaps in four letters
}

TEST(DidYouMean, IsEmptyWithoutANearWord) {
  EXPECT_EQ(did_you_mean("polcy", Candidates{"policy"}), "; did you mean 'policy'?");
  EXPECT_EQ(did_you_mean("zzz", Candidates{"policy"}), "");
}

RC_GTEST_PROP(NearestProperty, IsOneOfTheCandidates, (const std::string& word, Candidates words)) {
  const auto found = nearest(word, words);
  RC_ASSERT(!found || std::count(words.begin(), words.end(), *found) > 0);
}

RC_GTEST_PROP(NearestProperty, UndoesALostLetter, (const std::string& word)) {
  RC_PRE(word.size() > 1);
  const auto lost = *rc::gen::inRange<std::size_t>(0, word.size());
  std::string typed = word;
  typed.erase(lost, 1);
  RC_ASSERT(nearest(typed, Candidates{word}) == word);
}

}  // namespace
}  // namespace frostline::base
