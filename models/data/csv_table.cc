#include "models/data/csv_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <memory>
#include <string_view>

#include "base/error.h"
#include "base/file.h"
#include "base/join.h"
#include "base/nearest.h"

namespace frostline::models {
namespace {

/// Sums of squares over a series stay far from overflow, also in float32.
constexpr double kLargest = 1e12;

struct Field {
  std::string_view text;
  int column = 1;  ///< where its text starts in the line, from 1
};

/// A line and its number, from 1.
struct Line {
  std::string_view text;
  int number = 1;
};

std::string_view without_blanks_behind(std::string_view text) {
  return text.substr(0, text.find_last_not_of(" \t\r\n") + 1);
}

/// Blanks around a field do not belong to it, nor do quotes.
Field stripped(Field field) {
  const auto first = std::min(field.text.find_first_not_of(" \t"), field.text.size());
  field.text = without_blanks_behind(field.text.substr(first));
  field.column += static_cast<int>(first);
  if (field.text.size() >= 2 && field.text.front() == '"' && field.text.back() == '"') {
    field.text = field.text.substr(1, field.text.size() - 2);
    ++field.column;
  }
  return field;
}

/// The position of the next comma that does not stand between quotes, or the length of the line.
std::size_t end_of_field(std::string_view line, std::size_t from) {
  bool quoted = false;
  for (; from < line.size(); ++from) {
    if (line[from] == '"') quoted = !quoted;
    if (line[from] == ',' && !quoted) break;
  }
  return from;
}

std::vector<Field> fields_of(std::string_view line) {
  std::vector<Field> fields;
  std::size_t start = 0;
  while (true) {
    const std::size_t end = end_of_field(line, start);
    fields.push_back(stripped({line.substr(start, end - start), static_cast<int>(start) + 1}));
    if (end == line.size()) return fields;
    start = end + 1;
  }
}

/// The lines without their ends; blank ones at the end of the text are dropped.
std::vector<Line> lines_of(std::string_view text) {
  constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";
  if (text.starts_with(kByteOrderMark)) text.remove_prefix(kByteOrderMark.size());
  text = without_blanks_behind(text);
  std::vector<Line> lines;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    lines.push_back(
        {without_blanks_behind(text.substr(0, end)), static_cast<int>(lines.size()) + 1});
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

/// The header of one file, and which of its columns are wanted.
class Header {
 public:
  Header(std::string source, const Line& line) : source_(std::move(source)), line_(line) {
    for (const Field& field : fields_of(line.text)) names_.emplace_back(field.text);
  }

  std::size_t size() const { return names_.size(); }
  const std::string& source() const { return source_; }

  std::size_t find(const std::string& name) const {
    const auto found = std::find(names_.begin(), names_.end(), name);
    if (found == names_.end()) throw base::Error({source_, line_.number}, missing(name));
    if (std::find(found + 1, names_.end(), name) != names_.end()) {
      throw base::Error({source_, line_.number},
                        fmt::format("two columns are called '{}'; rename one of them", name));
    }
    return static_cast<std::size_t>(found - names_.begin());
  }

 private:
  std::string missing(const std::string& name) const {
    constexpr std::size_t kShown = 12;
    const std::vector<std::string> shown(
        names_.begin(), names_.begin() + static_cast<std::ptrdiff_t>(std::min(size(), kShown)));
    return fmt::format("there is no column '{}', only {}{}{}", name, base::join(shown),
                       size() > kShown ? ", ..." : "", base::did_you_mean(name, names_));
  }

  std::string source_;
  Line line_;
  std::vector<std::string> names_;
};

double number_in(const Field& field, const base::Place& place, const std::string& column) {
  double value = 0;
  const char* const end = std::to_address(field.text.end());
  const auto [stop, fault] = std::from_chars(std::to_address(field.text.begin()), end, value);
  if (field.text.empty() || stop != end || fault == std::errc::invalid_argument) {
    throw base::Error(place,
                      fmt::format("'{}' in column '{}' is not a number", field.text, column));
  }
  if (fault == std::errc{} && std::isfinite(value) && std::abs(value) > kLargest) {
    throw base::Error(place, fmt::format("{} in column '{}' is beyond {:g}: no load in any unit",
                                         field.text, column, kLargest));
  }
  if (fault != std::errc{} || !std::isfinite(value)) {
    throw base::Error(
        place, fmt::format("'{}' in column '{}' is not a finite number", field.text, column));
  }
  return value;
}

void check_length(const Header& header, const Line& line, std::size_t length) {
  if (length == header.size()) return;
  throw base::Error(
      {header.source(), line.number},
      fmt::format("this row has {} fields, the header has {}", length, header.size()));
}

std::vector<std::size_t> indices_of(const Header& header, const std::vector<std::string>& names) {
  std::vector<std::size_t> indices;
  for (const std::string& name : names) indices.push_back(header.find(name));
  return indices;
}

}  // namespace

CsvTable read_csv(const std::filesystem::path& file, const std::vector<std::string>& columns) {
  const std::string text = base::read_file(file);
  const std::vector<Line> lines = lines_of(text);
  if (lines.empty()) {
    throw base::Error({file.string()}, "the file is empty; it needs a header line and rows");
  }
  const Header header(file.string(), lines.front());
  const std::vector<std::size_t> wanted = indices_of(header, columns);
  CsvTable table{columns, std::vector<std::vector<double>>(columns.size())};
  for (auto line = lines.begin() + 1; line != lines.end(); ++line) {
    const std::vector<Field> fields = fields_of(line->text);
    check_length(header, *line, fields.size());
    for (std::size_t c = 0; c < wanted.size(); ++c) {
      const Field& field = fields[wanted[c]];
      const base::Place place{file.string(), line->number, field.column};
      table.columns[c].push_back(number_in(field, place, columns[c]));
    }
  }
  return table;
}

}  // namespace frostline::models
