#pragma once

#include <cstdint>
#include <vector>

#include "pipeline/plan.h"
#include "pipeline/rewrite.h"
#include "pipeline/step_table.h"
#include "pipeline/step_use.h"
#include "pipeline/units.h"

namespace frostline::pipeline {

/// The longest path through the computations of one step, on flat arrays: it walks the lists of the
/// plan's schedule once, each rank as far as its inputs are known, and leaves out on the way what
/// freezing saves. Nothing is rewritten, lowered or built, and evaluate() allocates nothing.
///
/// Gives what longest_path gives over schedule_graph of the executable schedule; and where
/// transfers have an occupancy, those from one rank to another leave one after the other, in the
/// order of their sends.
class StepPath {
 public:
  /// The plan's schedule is sound: made by the registry, or passed by validate. `times` outlives
  /// it; the plan's schedule is shared.
  StepPath(const Plan& plan, const UnitTable& units, const ActionTimes& times);

  /// Throws base::Error as executable_schedule does if the plan cannot run. Valid until the next
  /// call.
  const StepUse& evaluate();

 private:
  using Nanoseconds = StepTable::Nanoseconds;
  using Row = StepTable::Row;
  using Way = StepTable::Way;
  /// Not computed yet; computed, but not sent yet.
  static constexpr Nanoseconds kUnknown = -1;
  static constexpr Nanoseconds kUnsent = -2;
  struct RankState {
    const Action* next = nullptr;
    const Action* end = nullptr;
    const Nanoseconds* awaited = nullptr;  ///< the input that the next computation lacks
    Nanoseconds clock = 0;
    RankUse use;
  };

  void reset();
  void advance(RankState& rank);
  bool compute(RankState& rank, const Action& action);
  bool compute_pair(RankState& rank, const Action& pair);
  bool take_inputs(RankState& rank, ActionKind kind, const Row& row, std::size_t cell) const;
  void note(ActionKind kind, const Row& row, std::size_t stage, std::size_t cell,
            Nanoseconds start, Nanoseconds end);
  void send(const Action& send, Nanoseconds now);
  void hand_over(const Way& way, Nanoseconds& cell, Nanoseconds now);
  std::size_t cell(std::size_t stage, std::size_t micro_batch) const {
    return stage * micro_batches_ + micro_batch;
  }
  bool ended() const;
  [[noreturn]] void fail() const;

  Plan plan_;
  UnitTable units_;
  FreezeRules rules_;
  const ActionTimes* times_;
  std::size_t stages_;
  std::size_t micro_batches_;
  bool lowered_;  ///< the lists say where sends stand
  StepTable table_;
  std::vector<Nanoseconds> output_;    ///< when a stage's output has arrived where it is needed
  std::vector<Nanoseconds> gradient_;  ///< the same of its input's gradient
  std::vector<Nanoseconds> channel_free_;
  std::vector<RankState> ranks_;
  std::vector<std::int32_t> ready_;  ///< ranks that may go on, a ring
  std::size_t ready_first_ = 0;
  std::size_t ready_count_ = 0;
  std::size_t forwards_ = 0;
  StepUse use_;
};

}  // namespace frostline::pipeline
