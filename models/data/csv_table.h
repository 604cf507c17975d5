#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace frostline::models {

/// The columns asked for of a CSV file with a header line, as numbers.
struct CsvTable {
  std::vector<std::string> names;
  std::vector<std::vector<double>> columns;  ///< columns[c][row]

  std::size_t rows() const { return columns.empty() ? 0 : columns.front().size(); }
};

/// Throws base::Error for a missing file, a column that the header does not have (names the
/// nearest), a row of another length, or a value that is not a finite number, each with line and
/// column.
CsvTable read_csv(const std::filesystem::path& file, const std::vector<std::string>& columns);

}  // namespace frostline::models
