#include "pipeline/schedule.h"

#include <cassert>

namespace frostline::pipeline {

std::vector<Rank> looped_placement(const PipelineShape& shape) {
  assert(shape.ranks >= 1);
  std::vector<Rank> rank_of_stage;
  for (int stage = 0; stage < shape.stages(); ++stage)
    rank_of_stage.push_back({stage % shape.ranks});
  return rank_of_stage;
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
