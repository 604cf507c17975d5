#include "pipeline/csv_cells.h"

#include <fmt/format.h>

#include <algorithm>

namespace frostline::pipeline {
namespace {

constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
constexpr std::string_view kBlanks = " \t\r";
constexpr std::size_t kLongestShown = 60;

/// Up to the next separator, which is taken too.
std::string_view take_until(char separator, std::string_view& rest) {
  const std::size_t length = std::min(rest.find(separator), rest.size());
  const std::string_view part = rest.substr(0, length);
  rest.remove_prefix(std::min(length + 1, rest.size()));
  return part;
}

/// Any bytes may stand in a file: what a message shows is short and printable.
std::string shown(std::string_view cell) {
  std::string text(cell.substr(0, kLongestShown));
  std::replace_if(text.begin(), text.end(), [](char c) { return c < ' ' || c > '~'; }, '?');
  return cell.size() > kLongestShown ? text + "..." : text;
}

Action action_in(std::string_view cell, const base::Place& place) {
  try {
    // What is shortened or made printable is no action before or after.
    return parse_action(shown(cell));
  } catch (const base::Error& error) {
    throw base::Error(place, error.what());
  }
}

std::vector<CsvCell> cells_of(std::string_view line, const base::Place& place) {
  std::vector<CsvCell> cells;
  const char* const begin = line.data();
  while (!line.empty()) {
    std::string_view cell = take_until(',', line);
    const std::size_t first = cell.find_first_not_of(kBlanks);
    if (first == std::string_view::npos) continue;
    cell = cell.substr(first, cell.find_last_not_of(kBlanks) + 1 - first);
    const int column = static_cast<int>(cell.data() - begin) + 1;
    cells.push_back({action_in(cell, {place.source, place.line, column}), place.line, column});
  }
  return cells;
}

}  // namespace

std::vector<std::vector<CsvCell>> read_csv_cells(std::string_view text, const std::string& source) {
  if (text.starts_with(kByteOrderMark)) text.remove_prefix(kByteOrderMark.size());
  std::vector<std::vector<CsvCell>> lines;
  for (int line = 1; !text.empty(); ++line) {
    lines.push_back(cells_of(take_until('\n', text), {source, line, 0}));
  }
  while (!lines.empty() && lines.back().empty()) lines.pop_back();
  return lines;
}

}  // namespace frostline::pipeline
