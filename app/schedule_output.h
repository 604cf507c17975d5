#pragma once

#include "app/verb.h"
#include "pipeline/schedule.h"

namespace frostline::app {

/// --list-schedules, --schedule-out, --schedule-format.
void add_schedule_options(CLI::App& command, Arguments& arguments);

/// Every schedule with the shapes it takes and what it does, one a line, or as a JSON array.
void print_schedules(bool json);

/// Writes a schedule that was executed as a CSV that PyTorch loads, as --schedule-out and
/// --schedule-format say. Throws base::Error if it cannot.
void write_schedule(const pipeline::Schedule& schedule, const Arguments& arguments);

}  // namespace frostline::app
