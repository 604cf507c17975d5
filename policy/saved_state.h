#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "pipeline/world.h"

namespace frostline::policy {

/// A double as JSON that reads back bitwise: nlohmann writes a finite one in its shortest form that
/// does, and any other as null, so these become "nan", "inf" and "-inf".
nlohmann::json json_of(double value);
double double_from(const nlohmann::json& json);

nlohmann::json json_of(const pipeline::StatisticsOrder& order);
pipeline::StatisticsOrder order_from(const nlohmann::json& json);

[[noreturn]] void throw_broken_state(const std::string& what, const std::string& reason);

/// Calls `read` with the JSON of `text`. What cannot be read becomes a base::Error that says which
/// state, `what`, is broken.
template <class Read>
void read_state(const std::string& text, const std::string& what, Read read) {
  try {
    read(nlohmann::json::parse(text));
  } catch (const nlohmann::json::exception& error) {
    throw_broken_state(what, error.what());
  }
}

}  // namespace frostline::policy
