#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "pipeline/action.h"

namespace frostline::pipeline {

/// An action and where it stands in its file.
struct CsvCell {
  Action action;
  int line = 0;
  int column = 0;
};

/// One list a line, empty cells left out; empty lines at the end are left out too. Throws
/// base::Error with the place of a cell that is not an action.
std::vector<std::vector<CsvCell>> read_csv_cells(std::string_view text, const std::string& source);

}  // namespace frostline::pipeline
