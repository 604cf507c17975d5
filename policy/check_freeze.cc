#include <fmt/format.h>

#include <algorithm>

#include "base/nearest.h"
#include "policy/freeze_settings.h"

namespace frostline::policy {
namespace {

using base::Document;
using pipeline::UnitId;
using pipeline::UnitTable;

base::Words unit_names(const UnitTable& units) {
  base::Words names;
  for (const pipeline::Unit& unit : units.units) names.push_back(unit.name);
  return names;
}

void check_layers(Document& document, const std::string& key, std::int64_t value,
                  const UnitTable& units) {
  if (value <= units.layers()) return;
  document.problem(key, fmt::format("{} = {} is more than the model's {} layers; use 0 to {}", key,
                                    value, units.layers(), units.layers()));
}

std::string advice_for_unit(const std::string& name, const base::Words& known) {
  std::string near = base::did_you_mean(name, known);
  if (!near.empty() || known.empty()) return near;
  return fmt::format("; the units are {} to {}", known.front(), known.back());
}

void check_names(Document& document, const base::Words& frozen, const UnitTable& units) {
  const base::Words known = unit_names(units);
  for (const std::string& name : frozen) {
    if (std::find(known.begin(), known.end(), name) != known.end()) continue;
    document.problem("freeze.frozen", fmt::format("freeze.frozen: the model has no unit '{}'{}",
                                                  name, advice_for_unit(name, known)));
  }
}

void check_mask(Document& document, const FreezeSettings& settings, const UnitTable& units) {
  check_layers(document, "freeze.frozen_layers", settings.frozen_layers, units);
  check_names(document, settings.frozen, units);
  if (document.has("freeze.frozen_layers") || document.has("freeze.frozen")) return;
  document.problem("freeze.policy",
                   "freeze.policy = \"mask\" needs freeze.frozen_layers, a number of leading "
                   "layers, or freeze.frozen, a list of units");
}

void check_file(Document& document, const FreezeSettings& settings) {
  if (!settings.file.empty()) return;
  document.problem("freeze.file",
                   "freeze.policy = \"file\" needs freeze.file, the folder of a finished run");
}

void check_window(Document& document, const FreezeSettings& settings, const UnitTable& units) {
  int body = 0;
  for (const UnitId unit : base::ids<UnitId>(units.size())) body += units.in_head(unit) ? 0 : 1;
  if (body == 0) {
    document.problem("freeze.policy",
                     fmt::format("freeze.policy = \"{}\" has nothing to judge: all {} units belong "
                                 "to the head; use policy \"none\"",
                                 settings.policy, units.size()));
  } else if (settings.window > body && settings.window != FreezeSettings{}.window) {
    document.problem("freeze.window", fmt::format("freeze.window = {} is more than the {} units "
                                                  "that the model has below its head; use at "
                                                  "most {}",
                                                  settings.window, body, body));
  }
}

void check_order(Document& document, const FreezeSettings& settings, const UnitTable& units) {
  if (settings.order != "prefix" || units.size() == 0 || !units.in_head({0})) return;
  document.problem("freeze.order",
                   fmt::format("freeze.order = \"prefix\" could never freeze anything: the first "
                               "unit, '{}', belongs to the head, which never freezes; use "
                               "order = \"any\"",
                               units.units.front().name));
}

/// A judging step of one optimizer step has no change of its own: its first one has no step before.
void check_judging_step(Document& document, const FreezeSettings& settings) {
  if (settings.judging_step > 1 || settings.change != "drift") return;
  document.problem("freeze.judging_step",
                   "freeze.judging_step = 1 leaves freeze.change = \"drift\" nothing to add up; "
                   "use at least 2");
}

void check_warm_up(Document& document, const FreezeSettings& settings) {
  // In the first of these no change can be counted, and only what can be judged makes the mean.
  const std::int64_t least = settings.judging_step == 1 ? 2 : 1;
  if (settings.size != "self" || settings.warm_up >= least) return;
  document.problem(
      "freeze.warm_up",
      fmt::format("freeze.warm_up = {} leaves freeze.size = \"self\" without a mean to "
                  "compare with; use at least {}",
                  settings.warm_up, least));
}

void check_rule(Document& document, const FreezeSettings& settings, const UnitTable& units) {
  check_window(document, settings, units);
  check_order(document, settings, units);
  check_judging_step(document, settings);
  check_warm_up(document, settings);
}

void refuse_without_policy(Document& document, const std::string& key, bool is_default,
                           const std::string& policy) {
  if (is_default) return;
  document.problem(key, fmt::format("{} has no effect: freeze.policy is not set; set it to \"{}\"",
                                    key, policy));
}

/// Who writes down what is to be frozen and no policy has most likely forgotten the policy. One
/// that is written is a choice, even where it uses other keys: comparisons change the policy alone.
void check_forgotten_policy(Document& document, const FreezeSettings& settings) {
  if (document.has("freeze.policy")) return;
  const FreezeSettings defaults;
  refuse_without_policy(document, "freeze.frozen_layers",
                        settings.frozen_layers == defaults.frozen_layers, "mask");
  refuse_without_policy(document, "freeze.frozen", settings.frozen == defaults.frozen, "mask");
  refuse_without_policy(document, "freeze.keep_layers",
                        settings.keep_layers == defaults.keep_layers, "last_k");
  refuse_without_policy(document, "freeze.file", settings.file == defaults.file, "file");
}

}  // namespace

void check_freeze(Document& document, const FreezeSettings& settings, const UnitTable& units) {
  check_forgotten_policy(document, settings);
  if (settings.policy == "mask") check_mask(document, settings, units);
  if (settings.policy == "last_k") {
    check_layers(document, "freeze.keep_layers", settings.keep_layers, units);
  }
  if (settings.policy == "file") check_file(document, settings);
  if (settings.policy == "fixed") check_rule(document, settings, units);
}

}  // namespace frostline::policy
