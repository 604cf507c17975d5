#pragma once

#include <cstdint>
#include <vector>

#include "pipeline/plan.h"
#include "pipeline/rewrite.h"
#include "pipeline/stage_times.h"
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
  using Nanoseconds = std::int64_t;
  /// Not computed yet; computed, but not sent yet.
  static constexpr Nanoseconds kUnknown = -1;
  static constexpr Nanoseconds kUnsent = -2;

  struct Neighbour {
    std::int32_t rank = -1;  ///< -1: there is none, or it is on the same rank
    std::int32_t channel = 0;
  };
  struct StageRow {
    std::int32_t rank = 0;
    bool last = false;
    Neighbour next, previous;
  };
  struct Rule {
    BackwardNeed need = BackwardNeed::kFull;
    bool sends_gradient = false;
  };
  struct RankState {
    const Action* next = nullptr;
    const Action* end = nullptr;
    const Nanoseconds* awaited = nullptr;  ///< the input that the next computation lacks
    Nanoseconds clock = 0;
    RankUse use;
  };
  /// What freezing leaves of an action.
  struct Rest {
    Step steps[2];
    int count = 0;
  };

  void reset();
  void advance(RankState& rank);
  bool compute(RankState& rank, const Rest& rest);
  bool has_inputs(RankState& rank, const Step& computation) const;
  void note(const Step& computation, Nanoseconds start, Nanoseconds end);
  void send(const Step& send, Nanoseconds now);
  void hand_over(const Neighbour& receiver, const Step& send, Nanoseconds& cell, Nanoseconds now);
  Rest rest_of(const Action& action) const;
  bool add_rest(const Step& step, Rest& rest) const;
  const Rule& rule(StageId stage, MicroBatch micro_batch) const;
  std::size_t cell(StageId stage, MicroBatch micro_batch) const {
    return stage.index() * micro_batches_ + micro_batch.index();
  }
  void add_rules(const FreezeRules& rules);
  void add_stages();
  bool ended() const;
  [[noreturn]] void fail() const;

  Plan plan_;
  UnitTable units_;
  StageTimes times_;
  std::size_t micro_batches_;
  bool lowered_;  ///< the lists say where sends stand
  bool uniform_;
  std::vector<Rule> rules_;      ///< micro-batches (1 if uniform) x stages
  std::vector<StageRow> stages_;
  std::vector<Nanoseconds> forward_;   ///< when a stage's output has arrived where it is needed
  std::vector<Nanoseconds> gradient_;  ///< the same of its input's gradient
  std::vector<Nanoseconds> channel_free_;
  std::vector<RankState> ranks_;
  std::vector<std::int32_t> ready_;  ///< ranks that may go on, a ring
  std::size_t ready_first_ = 0;
  std::size_t ready_count_ = 0;
  std::int64_t forwards_ = 0;
  StepUse use_;
};

}  // namespace frostline::pipeline
