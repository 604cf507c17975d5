#pragma once

#include <span>
#include <string>
#include <string_view>

namespace frostline::base {

/// The words with `separator` between each two: "a, b, c".
std::string join(std::span<const std::string> words, std::string_view separator = ", ");

}  // namespace frostline::base
