#include "cost/object_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/error.h"

namespace frostline::cost {
namespace {

bool fits(const Json& value, std::int64_t least, std::int64_t most) {
  // Above 2^63 - 1 a value is unsigned, and get<int64_t> would wrap it.
  if (value.is_number_unsigned() && value.get<std::uint64_t>() > static_cast<std::uint64_t>(most)) {
    return false;
  }
  return value.get<std::int64_t>() >= least && value.get<std::int64_t>() <= most;
}

std::string shortened(const Json& value) {
  const std::string text = value.dump();
  return text.size() <= 40 ? text : text.substr(0, 37) + "...";
}

}  // namespace

ObjectReader::ObjectReader(const std::filesystem::path& file, std::string path, const Json& object)
    : file_(file), path_(std::move(path)), object_(object) {
  if (!object.is_object()) fail(path_.empty() ? "the file" : path_, "is no JSON object");
}

double ObjectReader::number(const char* key, double most) {
  const Json& value = take(key);
  const bool sound = value.is_number() && value.get<double>() >= 0 && value.get<double>() <= most;
  if (!sound) refuse(key, value, fmt::format("a number between 0 and {}", most));
  return value.get<double>();
}

std::int64_t ObjectReader::integer(const char* key, std::int64_t least, std::int64_t most) {
  const Json& value = take(key);
  const bool sound = value.is_number_integer() && fits(value, least, most);
  if (!sound) refuse(key, value, fmt::format("an integer between {} and {}", least, most));
  return value.get<std::int64_t>();
}

std::string ObjectReader::word(const char* key) {
  const Json& value = take(key);
  const bool sound = value.is_string() && !value.get<std::string>().empty();
  if (!sound) refuse(key, value, "a string that is not empty");
  return value.get<std::string>();
}

const Json& ObjectReader::list(const char* key) {
  const Json& value = take(key);
  if (!value.is_array() || value.empty()) refuse(key, value, "a list of at least one element");
  return value;
}

void ObjectReader::reject_rest() const {
  for (const auto& [key, value] : object_.items()) {
    const bool taken = std::find(taken_.begin(), taken_.end(), key) != taken_.end();
    if (!taken) fail(name(key), "is not a key of such a file; remove it");
  }
}

void ObjectReader::refuse(const std::string& key, const Json& value,
                          const std::string& allowed) const {
  fail(name(key), fmt::format("= {} is not allowed; use {}", shortened(value), allowed));
}

const Json& ObjectReader::take(const char* key) {
  const auto found = object_.find(key);
  if (found == object_.end()) fail(name(key), "is missing; write the file anew");
  taken_.emplace_back(key);
  return *found;
}

void ObjectReader::fail(const std::string& what, const std::string& fault) const {
  throw base::Error({file_.string()}, what + " " + fault);
}

}  // namespace frostline::cost
