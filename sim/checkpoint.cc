#include "sim/checkpoint.h"

#include <fmt/format.h>

#include <charconv>

#include "base/error.h"
#include "base/safetensors.h"

namespace frostline::sim {
namespace {

using Metadata = std::map<std::string, std::string>;

constexpr const char* kKind = "frostline-checkpoint";
constexpr const char* kWorld = "event";

/// One line a unit: what must be the same for a state to be of the same model.
std::string units_text(const pipeline::UnitTable& units) {
  std::string text;
  for (const pipeline::Unit& unit : units.units) {
    text += fmt::format("{} of {} in layers", unit.name, unit.elements);
    for (const pipeline::LayerId layer : unit.layers) text += fmt::format(" {}", layer.value);
    text += "\n";
  }
  return text;
}

[[noreturn]] void fail(const std::filesystem::path& file, const std::string& what) {
  throw base::Error({file.string()}, what);
}

const std::string& entry(const std::filesystem::path& file, const Metadata& metadata,
                         const std::string& key) {
  const auto found = metadata.find(key);
  if (found == metadata.end()) {
    fail(file, fmt::format("is no checkpoint: its metadata lacks \"{}\"", key));
  }
  return found->second;
}

void check_entry(const std::filesystem::path& file, const Metadata& metadata,
                 const std::string& key, const std::string& wanted) {
  const std::string& value = entry(file, metadata, key);
  if (value == wanted) return;
  fail(file,
       fmt::format("has \"{}\" = \"{}\" where a checkpoint of a simulated run has \"{}\"; resume "
                   "from a file that simulate wrote",
                   key, value, wanted));
}

std::int64_t read_count(const std::filesystem::path& file, const std::string& key,
                        const std::string& text) {
  std::int64_t count = 0;
  const char* end = text.data() + text.size();
  const auto [stop, fault] = std::from_chars(text.data(), end, count);
  if (fault != std::errc{} || stop != end || count < 0) {
    fail(file, fmt::format("is broken: \"{}\" = \"{}\" is no count", key, text));
  }
  return count;
}

/// The line of `text` in which it first differs from `other`.
std::string differing_line(const std::string& text, const std::string& other) {
  std::size_t start = 0;
  for (std::size_t i = 0; i < text.size() && i < other.size() && text[i] == other[i]; ++i) {
    if (text[i] == '\n') start = i + 1;
  }
  const std::string line = text.substr(start, text.find('\n', start) - start);
  return line.empty() ? "no further unit" : line;
}

}  // namespace

void write_checkpoint(const std::filesystem::path& file, const pipeline::UnitTable& units,
                      const EventCheckpoint& checkpoint) {
  base::TensorFile contents;
  contents.metadata = {{"kind", kKind},
                       {"world", kWorld},
                       {"loop", checkpoint.loop_state},
                       {"steps_done", std::to_string(checkpoint.steps_done)},
                       {"clock_ns", std::to_string(checkpoint.clock.count())},
                       {"units", units_text(units)}};
  base::write_safetensors(file, contents);
}

EventCheckpoint read_checkpoint(const std::filesystem::path& file,
                                const pipeline::UnitTable& units) {
  const Metadata metadata = base::read_safetensors(file).metadata;
  check_entry(file, metadata, "kind", kKind);
  check_entry(file, metadata, "world", kWorld);
  const std::string& saved = entry(file, metadata, "units");
  const std::string own = units_text(units);
  if (saved != own) {
    fail(file, fmt::format("is a checkpoint of another model: it has {} where the scenario has {}; "
                           "resume with the scenario of that run",
                           differing_line(saved, own), differing_line(own, saved)));
  }
  const auto count = [&](const std::string& key) {
    return read_count(file, key, entry(file, metadata, key));
  };
  return {entry(file, metadata, "loop"), count("steps_done"), base::Duration(count("clock_ns"))};
}

}  // namespace frostline::sim
