#include "tests/pipeline/samples.h"

#include <algorithm>
#include <sstream>

namespace frostline::pipeline {
namespace {

int ticks(const EqualStages& times, ActionKind kind) {
  switch (kind) {
    case ActionKind::kForward:
      return times.forward;
    case ActionKind::kInputGradient:
      return times.input_gradient;
    case ActionKind::kWeightGradient:
      return times.weight_gradient;
    default:
      return times.input_gradient + times.weight_gradient;
  }
}

}  // namespace

base::Duration EqualStages::computation(const Action& action) const {
  base::Duration sum{};
  for (const Step& step : action.steps()) sum += pipeline::ticks(*this, step.kind) * kTick;
  return sum;
}

EqualLayers::EqualLayers(const Plan& plan, const UnitTable& units)
    : plan_(plan), units_(units), rules_(plan, units) {}

base::Duration EqualLayers::computation(const Action& action) const {
  base::Duration sum{};
  for (const Step& step : action.steps()) sum += ticks(step) * kTick;
  return sum;
}

int EqualLayers::ticks(const Step& step) const {
  const int end = plan_.partition.end(step.stage).value;
  const int first_backward = rules_.first_backward_layer(step.stage, *step.micro_batch).value;
  switch (step.kind) {
    case ActionKind::kForward:
      return end - plan_.partition.first(step.stage).value;
    case ActionKind::kInputGradient:
      return end - first_backward;
    case ActionKind::kWeightGradient:
      return trained_layers(step);
    default:
      return end - first_backward + trained_layers(step);
  }
}

int EqualLayers::trained_layers(const Step& step) const {
  const auto trains = training_layers(units_, plan_.freeze.mask(*step.micro_batch));
  int count = 0;
  for (const LayerId layer : plan_.partition.layers_of(step.stage)) count += trains[layer.index()];
  return count;
}

Schedule schedule_from(const PipelineShape& shape, const std::vector<std::string>& lines) {
  Schedule schedule{"sample", shape, looped_placement(shape), {}};
  for (const std::string& line : lines) {
    auto& actions = schedule.actions.emplace_back();
    std::istringstream words(line);
    for (std::string word; words >> word;) actions.push_back(parse_action(word));
  }
  return schedule;
}

Schedule breadth_first(const PipelineShape& shape) {
  Schedule schedule{"breadth_first", shape, looped_placement(shape), {}};
  schedule.actions.resize(static_cast<std::size_t>(shape.ranks));
  const auto add = [&](ActionKind kind, int stage) {
    auto& actions = schedule.actions[schedule.rank_of({stage}).index()];
    for (const MicroBatch micro_batch : base::ids<MicroBatch>(shape.micro_batches)) {
      actions.emplace_back(kind, StageId{stage}, micro_batch);
    }
  };
  for (int stage = 0; stage < shape.stages(); ++stage) add(ActionKind::kForward, stage);
  for (int stage = shape.stages() - 1; stage >= 0; --stage) add(ActionKind::kBackward, stage);
  return schedule;
}

Schedule split_backward(Schedule schedule) {
  for (auto& actions : schedule.actions) {
    std::vector<Action> split;
    for (const Action& action : actions) {
      const Step step = action.first();
      if (step.kind != ActionKind::kBackward) {
        split.push_back(action);
        continue;
      }
      split.emplace_back(ActionKind::kInputGradient, step.stage, *step.micro_batch);
      split.emplace_back(ActionKind::kWeightGradient, step.stage, *step.micro_batch);
    }
    actions = split;
  }
  return schedule;
}

std::vector<std::string> sorted_steps(const Schedule& schedule) {
  std::vector<std::string> texts;
  for (const auto& actions : schedule.actions) {
    for (const Action& action : actions) {
      for (const Step& step : action.steps()) texts.push_back(to_text(step));
    }
  }
  std::sort(texts.begin(), texts.end());
  return texts;
}

}  // namespace frostline::pipeline
