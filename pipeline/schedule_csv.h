#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "pipeline/schedule.h"

namespace frostline::pipeline {

/// Reads a schedule from the CSV of PyTorch's torch.distributed.pipelining: one line a rank, its
/// actions separated by commas, empty cells where a rank has nothing to do. Computations alone
/// ("compute_only") or with transfers, reductions and gathering ("compute_comms"); transfers keep
/// their places.
///
/// Shape and placement follow from the content: stages and micro-batches are numbered from 0
/// without a gap, every stage is on one rank, every rank holds as many. The schedule is validated.
/// Throws base::Error with `source` (the file), line and column, and the action. What is allocated
/// is in proportion to the text, whatever its numbers say.
Schedule parse_schedule_csv(std::string_view text, const std::string& source);

/// The same from a file; the schedule is named "file:NAME.csv".
Schedule read_schedule_csv(const std::filesystem::path& path);

/// As PyTorch's loader reads it: lines end in a bare newline, no empty cells.
std::string to_csv(const Schedule& schedule);

}  // namespace frostline::pipeline
