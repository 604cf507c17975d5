#include "app/run_record.h"

namespace frostline::app {
namespace {

using nlohmann::json;

json optional_number(const std::optional<double>& value) {
  return value ? json(*value) : json(nullptr);
}

json verdict_json(const policy::Verdict& verdict, const pipeline::UnitTable& units) {
  const auto& statistics = verdict.statistics;
  return {{"unit", units.units.at(statistics.unit.index()).name},
          {"mean_gradient", statistics.mean_gradient},
          {"reference", verdict.reference},
          {"small_changes", statistics.small_changes},
          {"change", statistics.change},
          {"finite", statistics.finite},
          {"result1", verdict.change_is_small},
          {"result2", verdict.gradient_is_small},
          {"in_a_row", verdict.in_a_row}};
}

}  // namespace

json start_event(const pipeline::UnitTable& units, const pipeline::FreezeMask& mask,
                 std::int64_t judging_step) {
  json names = json::array();
  for (const auto& unit : units.units) names.push_back(unit.name);
  return {{"event", "start"},
          {"units", std::move(names)},
          {"mask", mask.text()},
          {"frozen_share", pipeline::frozen_share(units, mask)},
          {"frost_line", pipeline::frost_line(units, mask)},
          {"judging_step", judging_step}};
}

json step_event(const pipeline::StepRecord& step) {
  return {{"event", "step"},
          {"step", step.number},
          {"time_ms", base::to_ms(step.time)},
          {"wall_ms", base::to_ms(step.wall)},
          {"learning_rate", step.learning_rate},
          {"budget_share", step.budget_share},
          {"loss", optional_number(step.loss)},
          {"gradient_norm", optional_number(step.gradient_norm)}};
}

json validation_event(const policy::ValidationRecord& record) {
  return {{"event", "validation"},
          {"step", record.step},
          {"budget_share", record.budget_share},
          {"score", optional_number(record.validation.score)},
          {"cost_ms", base::to_ms(record.validation.cost)}};
}

json decision_event(const policy::DecisionRecord& record, const pipeline::UnitTable& units) {
  json verdicts = json::array();
  for (const auto& verdict : record.decision.verdicts)
    verdicts.push_back(verdict_json(verdict, units));
  return {{"event", "decision"},
          {"step", record.step},
          {"judging_step", record.judging_step},
          {"before", record.before.text()},
          {"mask", record.decision.mask.text()},
          {"frost_line", record.frost_line},
          {"frozen_share", record.frozen_share},
          {"transition_ms", base::to_ms(record.transition)},
          {"remark", record.decision.remark},
          {"verdicts", std::move(verdicts)}};
}

json checkpoint_event(std::int64_t step, base::Duration cost) {
  return {{"event", "checkpoint"}, {"step", step}, {"cost_ms", base::to_ms(cost)}};
}

json message_event(const std::string& text) { return {{"event", "message"}, {"text", text}}; }

std::int64_t step_of(const json& event) { return event.value("step", std::int64_t{0}); }

}  // namespace frostline::app
