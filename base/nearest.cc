#include "base/nearest.h"

#include <algorithm>
#include <utility>
#include <vector>

namespace frostline::base {
namespace {

/// The three lines of the table that one step of the edit distance needs.
struct Lines {
  std::vector<std::size_t> before_last, last, now;
};

/// Line `i` of the table: how far the first `i` letters of `a` are from each beginning of `b`.
void fill_line(Lines& lines, std::size_t i, std::string_view a, std::string_view b) {
  lines.now[0] = i;
  for (std::size_t j = 1; j <= b.size(); ++j) {
    const std::size_t replaced = lines.last[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
    lines.now[j] = std::min({replaced, lines.last[j] + 1, lines.now[j - 1] + 1});
    const bool swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
    if (swapped) lines.now[j] = std::min(lines.now[j], lines.before_last[j - 2] + 1);
  }
}

/// Insertions, deletions, replacements and swaps of neighbours (optimal string alignment).
std::size_t edit_distance(std::string_view a, std::string_view b) {
  const std::vector<std::size_t> empty(b.size() + 1);
  Lines lines{empty, empty, empty};
  for (std::size_t j = 0; j <= b.size(); ++j) lines.now[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::swap(lines.before_last, lines.last);
    std::swap(lines.last, lines.now);
    fill_line(lines, i, a, b);
  }
  return lines.now[b.size()];
}

bool is_likely_mistake(std::size_t distance, std::size_t longer_length) {
  return distance < longer_length && distance <= std::max<std::size_t>(longer_length / 3, 1);
}

}  // namespace

std::optional<std::string> nearest(std::string_view word, std::span<const std::string> candidates) {
  std::optional<std::string> best;
  std::size_t best_distance = 0;
  for (const std::string& candidate : candidates) {
    const std::size_t distance = edit_distance(word, candidate);
    const bool likely = is_likely_mistake(distance, std::max(word.size(), candidate.size()));
    if (!likely || (best && distance >= best_distance)) continue;
    best = candidate;
    best_distance = distance;
  }
  return best;
}

std::string did_you_mean(std::string_view word, std::span<const std::string> candidates) {
  const auto near = nearest(word, candidates);
  return near ? "; did you mean '" + *near + "'?" : "";
}

}  // namespace frostline::base
