/// A schedule's CSV: whatever the text is, it is read or refused with its place, and what is read
/// can be written and read again, lowered, and run to its end.
#include <cstdlib>
#include <string_view>

#include "base/error.h"
#include "pipeline/dry_run.h"
#include "pipeline/lower.h"
#include "pipeline/schedule_csv.h"
#include "pipeline/timeline.h"
#include "tests/fuzz/target.h"

namespace frostline::pipeline {
namespace {

/// Everything takes as long.
struct UnitTimes : ActionTimes {
  base::Duration computation(const Action&) const override { return base::Duration(1); }
  base::Duration delay(const Step&) const override { return base::Duration(1); }
};

void demand(bool holds) {
  if (!holds) std::abort();
}

void run(const Schedule& schedule) {
  demand(parse_schedule_csv(to_csv(schedule), schedule.name) == schedule);
  const Schedule lowered = lower(schedule);
  demand(dry_run(lowered).empty());
  demand(longest_path_timeline(lowered, UnitTimes()).makespan() > base::Duration::zero());
}

}  // namespace
}  // namespace frostline::pipeline

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  try {
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    frostline::pipeline::run(frostline::pipeline::parse_schedule_csv(text, "fuzz.csv"));
  } catch (const frostline::base::Error&) {
  }
  return 0;
}
