#pragma once

#include <functional>
#include <string>

#include "pipeline/timeline.h"

namespace frostline::app {

struct PictureStyle {
  int width = 100;  ///< columns of a line
  bool color = false;
  /// Which computations are of stages whose units are all frozen; empty: none.
  std::function<bool(const pipeline::Step&)> is_frozen;
};

/// A timeline as lines of characters, one a rank: "F3====" is a forward of micro-batch 3, in small
/// letters, "f3----", on a frozen stage. A column shows what runs in its middle. Of very many ranks
/// the first and last are drawn. A scale and the meaning of what occurs stand below.
std::string timeline_picture(const pipeline::Timeline& timeline, const PictureStyle& style);

}  // namespace frostline::app
