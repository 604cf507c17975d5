#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace frostline::base {

/// The candidate with the smallest edit distance (with transpositions) to `word`, if that is close
/// enough to be a likely typing mistake; the first of several equally close ones.
std::optional<std::string> nearest(std::string_view word, std::span<const std::string> candidates);

/// "; did you mean 'x'?" or "".
std::string did_you_mean(std::string_view word, std::span<const std::string> candidates);

}  // namespace frostline::base
