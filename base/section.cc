#include "base/section.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/join.h"
#include "base/nearest.h"

namespace frostline::base {

std::string SectionInfo::full_name(const std::string& key) const {
  return name.empty() ? key : name + "." + key;
}

Allowed<std::string> one_of(Words words) {
  const auto accepts = [words](const std::string& word) {
    return std::find(words.begin(), words.end(), word) != words.end();
  };
  return {fmt::format("one of {}", join(words)), accepts, words};
}

std::string phrase(const char* words, std::int64_t bound) {
  return fmt::format("{} {}", words, bound);
}

std::string phrase(const char* words, double bound) { return fmt::format("{} {}", words, bound); }

std::string suggestion(const std::string& word, const Words& words) {
  return did_you_mean(word, words);
}

}  // namespace frostline::base
