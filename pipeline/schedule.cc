#include "pipeline/schedule.h"

#include <algorithm>
#include <cassert>

namespace frostline::pipeline {

std::vector<Rank> looped_placement(const PipelineShape& shape) {
  assert(shape.ranks >= 1);
  std::vector<Rank> rank_of_stage;
  for (int stage = 0; stage < shape.stages(); ++stage)
    rank_of_stage.push_back({stage % shape.ranks});
  return rank_of_stage;
}

std::vector<Rank> v_placement(int ranks) {
  std::vector<Rank> rank_of_stage;
  for (int stage = 0; stage < 2 * ranks; ++stage) {
    rank_of_stage.push_back({std::min(stage, 2 * ranks - 1 - stage)});
  }
  return rank_of_stage;
}

bool has_transfers(const Schedule& schedule) {
  const auto& lists = schedule.actions;
  const auto is_transfer = [](const Action& action) {
    return is_send(action.kind()) || is_receive(action.first().kind);
  };
  return std::any_of(lists.begin(), lists.end(), [&](const std::vector<Action>& list) {
    return std::any_of(list.begin(), list.end(), is_transfer);
  });
}

Schedule computations_of(Schedule schedule) {
  for (auto& actions : schedule.actions) {
    std::erase_if(actions, [](const Action& action) { return !is_computation(action); });
  }
  return schedule;
}

std::string to_text(const Schedule& schedule) {
  std::string text;
  for (std::size_t rank = 0; rank < schedule.actions.size(); ++rank) {
    text += "rank " + std::to_string(rank) + ":";
    for (const Action& action : schedule.actions[rank]) text += " " + to_text(action);
    text += "\n";
  }
  return text;
}

}  // namespace frostline::pipeline
