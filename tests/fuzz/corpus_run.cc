/// Stands in for libFuzzer: gives a target every file of some folders, and of each a number of
/// variants with bytes changed, left out, doubled and exchanged with other files, the same in every
/// run.
///
///     fuzz-scenario VARIANTS FOLDER...
#include <fmt/core.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include "base/file.h"
#include "base/random.h"
#include "tests/fuzz/target.h"

namespace {

using frostline::base::RandomStream;

/// Of the text formats under test.
constexpr std::string_view kTelling = "0123456789FBIWSENDRCV_;(),.=[]\"'#-\n";
constexpr int kMostChanges = 8;

std::vector<std::string> files_of(int count, char** folders) {
  std::vector<std::filesystem::path> paths;
  for (int i = 0; i < count; ++i) {
    for (const auto& entry : std::filesystem::directory_iterator(folders[i])) {
      if (entry.is_regular_file()) paths.push_back(entry.path());
    }
  }
  std::sort(paths.begin(), paths.end());
  std::vector<std::string> texts;
  for (const auto& path : paths) texts.push_back(frostline::base::read_file(path));
  return texts;
}

class Mutator {
 public:
  Mutator(const std::vector<std::string>& texts, std::uint64_t seed)
      : texts_(texts), random_(seed, frostline::base::Purpose::kShuffle) {}

  std::string variant(std::string text) {
    for (std::size_t i = 0; i <= below(kMostChanges); ++i) change(text);
    return text;
  }

 private:
  std::size_t below(std::size_t bound) {
    return random_.below(static_cast<std::uint32_t>(std::max<std::size_t>(bound, 1)));
  }

  void change(std::string& text) {
    const std::size_t at = below(text.size() + 1);
    const std::size_t length = below(std::min<std::size_t>(text.size() - at + 1, 32));
    switch (below(6)) {
      case 0:
        text.replace(at, length, 1, static_cast<char>(below(256)));
        break;
      case 1:
        text.replace(at, std::min<std::size_t>(1, length), 1, kTelling[below(kTelling.size())]);
        break;
      case 2:
        text.erase(at, length);
        break;
      case 3:
        text.insert(below(text.size() + 1), text.substr(at, length));
        break;
      case 4:
        text.insert(at, std::string(below(12), '9'));
        break;
      default:
        insert_other(text, at);
    }
  }

  void insert_other(std::string& text, std::size_t at) {
    const std::string& other = texts_[below(texts_.size())];
    text.insert(at, other, below(other.size() + 1), below(64));
  }

  const std::vector<std::string>& texts_;
  RandomStream random_;
};

void give(const std::string& text) {
  LLVMFuzzerTestOneInput(reinterpret_cast<const std::uint8_t*>(text.data()), text.size());
}

}  // namespace

int main(int argc, char** argv) {
  const int variants = argc > 2 ? std::atoi(argv[1]) : -1;
  const auto texts = variants >= 0 ? files_of(argc - 2, argv + 2) : std::vector<std::string>{};
  if (texts.empty()) {
    fmt::print(stderr, "usage: {} VARIANTS FOLDER..., with files in the folders\n", argv[0]);
    return 2;
  }
  for (std::size_t i = 0; i < texts.size(); ++i) {
    give(texts[i]);
    Mutator mutator(texts, i);
    for (int variant = 0; variant < variants; ++variant) give(mutator.variant(texts[i]));
  }
  fmt::print("{} files, {} variants each\n", texts.size(), variants);
  return 0;
}
