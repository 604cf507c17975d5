#include "base/error.h"

#include <fmt/format.h>

#include <utility>

#include "base/join.h"

namespace frostline::base {
namespace {

std::string with_place(const Place& place, const std::string& what) {
  const std::string where = place.text();
  return where.empty() ? what : where + ": " + what;
}

std::string lines(const std::vector<Problem>& problems) {
  std::vector<std::string> texts;
  for (const Problem& problem : problems) texts.push_back(problem.text());
  return join(texts, "\n");
}

}  // namespace

std::string Place::text() const {
  if (source.empty() || line == 0) return source;
  if (column == 0) return fmt::format("{}:{}", source, line);
  return fmt::format("{}:{}:{}", source, line, column);
}

Error::Error(const Place& place, const std::string& what)
    : std::runtime_error(with_place(place, what)) {}

std::string Problem::text() const { return with_place(place, what); }

InvalidInput::InvalidInput(std::vector<Problem> problems)
    : Error(lines(problems)), problems_(std::move(problems)) {}

}  // namespace frostline::base
