#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "pipeline/schedule.h"

namespace frostline::pipeline {

/// What the V-shaped schedules have in common: they refuse other numbers of chunks than 2.
std::optional<std::string> refuse_other_than_two_chunks(std::string_view name,
                                                        const PipelineShape& shape);

/// Their placement.
std::vector<Rank> place_in_v(const PipelineShape& shape);

/// The two stages of a rank.
struct StagePair {
  StageId down;  ///< on the way from the first rank to the last
  StageId up;    ///< on the way back
};
StagePair stage_pair(const PipelineShape& shape, Rank rank);

}  // namespace frostline::pipeline
