#include "pipeline/schedule_csv.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <optional>

#include "base/error.h"
#include "base/file.h"
#include "pipeline/csv_cells.h"
#include "pipeline/validate.h"

namespace frostline::pipeline {
namespace {

using CsvLines = std::vector<std::vector<CsvCell>>;

constexpr int kMostBlockedShown = 4;

/// Infers a schedule from the actions of a file.
class CsvSchedule {
 public:
  CsvSchedule(const CsvLines& lines, const std::string& source) : lines_(lines), source_(source) {}

  Schedule schedule() {
    if (lines_.empty()) fail("there are no actions; write one line a rank, as in 0F0,0F1,0B0,0B1");
    find_sizes();
    place_stages();
    Schedule schedule{source_, shape(), rank_of_stage(), {}};
    for (const auto& line : lines_) {
      auto& actions = schedule.actions.emplace_back();
      for (const CsvCell& cell : line) actions.push_back(cell.action);
    }
    check(schedule);
    return schedule;
  }

 private:
  int ranks() const { return static_cast<int>(lines_.size()); }

  template <class Visit>
  void for_each_step(const Visit& visit) const {
    for (int rank = 0; rank < ranks(); ++rank) {
      for (const CsvCell& cell : lines_[static_cast<std::size_t>(rank)]) {
        for (const Step& step : cell.action.steps()) visit(step, cell, rank);
      }
    }
  }

  /// Before anything is allocated by them: each stage has a forward of each micro-batch, so that
  /// their number is known to be about that of the actions, or less.
  void find_sizes() {
    const CsvCell* largest_stage = nullptr;
    const CsvCell* largest_batch = nullptr;
    std::int64_t steps = 0;
    for_each_step([&](const Step& step, const CsvCell& cell, int) {
      ++steps;
      if (step.stage.value >= stages_) {
        stages_ = std::int64_t{step.stage.value} + 1;
        largest_stage = &cell;
      }
      if (step.micro_batch && step.micro_batch->value >= micro_batches_) {
        micro_batches_ = std::int64_t{step.micro_batch->value} + 1;
        largest_batch = &cell;
      }
    });
    if (largest_batch == nullptr) fail("there are no computations; give each stage its forwards");
    if (stages_ * micro_batches_ <= 2 * steps) return;
    fail(stages_ > micro_batches_ ? *largest_stage : *largest_batch,
         fmt::format("the file has stages 0 to {} and micro-batches 0 to {}, which is {} forwards, "
                     "but {} actions in all; number both from 0 without a gap",
                     stages_ - 1, micro_batches_ - 1, stages_ * micro_batches_, steps));
  }

  void place_stages() {
    homes_.resize(static_cast<std::size_t>(stages_));
    for_each_step([&](const Step& step, const CsvCell& cell, int rank) {
      auto& home = homes_[step.stage.index()];
      if (!home) home = Home{rank, &cell};
      if (home->rank == rank) return;
      fail(cell,
           fmt::format("stage {} stands on rank {} already (line {}, column {}), and here on rank "
                       "{}; a stage is on one rank",
                       step.stage.value, home->rank, home->first->line, home->first->column, rank));
    });
    check_stages();
  }

  void check_stages() const {
    std::vector<int> chunks(lines_.size(), 0);
    for (std::size_t stage = 0; stage < homes_.size(); ++stage) {
      if (!homes_[stage]) {
        fail(
            fmt::format("there is no action of stage {}, but there are stages up to {}; number "
                        "them from 0 without a gap",
                        stage, stages_ - 1));
      }
      ++chunks[static_cast<std::size_t>(homes_[stage]->rank)];
    }
    for (std::size_t rank = 0; rank < chunks.size(); ++rank) {
      if (chunks[rank] == chunks[0] && chunks[0] > 0) continue;
      fail(
          fmt::format("rank {} (line {}) holds {} stages and rank 0 {}; give every rank as many, "
                      "at least 1",
                      rank, rank + 1, chunks[rank], chunks[0]));
    }
  }

  PipelineShape shape() const {
    return {ranks(), static_cast<int>(stages_) / ranks(), static_cast<int>(micro_batches_)};
  }

  std::vector<Rank> rank_of_stage() const {
    std::vector<Rank> all;
    for (const auto& home : homes_) all.push_back({home->rank});
    return all;
  }

  void check(const Schedule& schedule) const {
    const auto faults = find_faults(schedule);
    if (faults.empty()) return;
    const ScheduleFault& fault = faults.front();
    if (fault.rule == ScheduleRule::kCycle) fail(cycle_text(faults));
    const auto& line = lines_[fault.rank.index()];
    if (fault.action.empty()) {
      throw base::Error({source_, fault.rank.value + 1, 0},
                        fmt::format("rank {}: {}", fault.rank.value, fault.what));
    }
    fail(line[static_cast<std::size_t>(fault.position)], fault.what);
  }

  static std::string cycle_text(const std::vector<ScheduleFault>& faults) {
    std::string text = "no order of execution satisfies all lines: ";
    const int shown = std::min(kMostBlockedShown, static_cast<int>(faults.size()));
    for (int i = 0; i < shown; ++i) {
      const ScheduleFault& fault = faults[static_cast<std::size_t>(i)];
      text += fmt::format("{}rank {} stands before {}: {}", i == 0 ? "" : "; ", fault.rank.value,
                          fault.action, fault.what);
    }
    if (std::ssize(faults) > shown) {
      text += fmt::format("; and {} more ranks", std::ssize(faults) - shown);
    }
    return text;
  }

  [[noreturn]] void fail(const std::string& what) const {
    throw base::Error({source_, 0, 0}, what);
  }
  [[noreturn]] void fail(const CsvCell& cell, const std::string& what) const {
    throw base::Error({source_, cell.line, cell.column},
                      fmt::format("{}: {}", to_text(cell.action), what));
  }

  struct Home {
    int rank;
    const CsvCell* first;
  };

  const CsvLines& lines_;
  const std::string& source_;
  std::int64_t stages_ = 0;
  std::int64_t micro_batches_ = 0;
  std::vector<std::optional<Home>> homes_;  // by stage
};

}  // namespace

Schedule parse_schedule_csv(std::string_view text, const std::string& source) {
  const CsvLines lines = read_csv_cells(text, source);
  return CsvSchedule(lines, source).schedule();
}

Schedule read_schedule_csv(const std::filesystem::path& path) {
  Schedule schedule = parse_schedule_csv(base::read_file(path), path.string());
  schedule.name = "file:" + path.filename().string();
  return schedule;
}

std::string to_csv(const Schedule& schedule) {
  std::string text;
  for (const auto& actions : schedule.actions) {
    std::string line;
    for (const Action& action : actions) {
      if (!line.empty()) line += ",";
      line += to_text(action);
    }
    text += line + "\n";
  }
  return text;
}

}  // namespace frostline::pipeline
