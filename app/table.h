#pragma once

#include <string>
#include <vector>

namespace frostline::app {

/// Rows of cells in aligned columns for people: the first column to the left, the others to the
/// right, two spaces between.
std::string format_table(const std::vector<std::vector<std::string>>& rows);
/// The same, a line a row, for who adds to them.
std::vector<std::string> table_lines(const std::vector<std::vector<std::string>>& rows);

}  // namespace frostline::app
