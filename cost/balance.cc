#include "cost/balance.h"

#include <algorithm>
#include <cassert>
#include <optional>
#include <vector>

#include "cost/stage_cost.h"

namespace frostline::cost {
namespace {

using base::Duration;
using pipeline::BackwardNeed;
using pipeline::Cut;
using pipeline::FreezeMask;
using pipeline::LayerId;
using pipeline::Partition;
using pipeline::StageId;
using pipeline::UnitTable;

/// What every run of layers costs as one stage.
class RunCosts {
 public:
  RunCosts(const ModelCost& cost, const UnitTable& units, const FreezeMask& mask, bool cut)
      : layers_(units.layers()), line_{cut ? pipeline::frost_line(units, mask) : 0} {
    const UnitShares shares(units);
    costs_.resize(index({layers_}, {0}));
    for (const LayerId first : base::ids<LayerId>(layers_)) {
      bool frozen = true;
      for (LayerId end = first.next(); end.value <= layers_; ++end) {
        frozen = frozen && shares.all_frozen(end.previous(), mask);
        const StageCost run = stage_cost(cost, shares, work(first, end, frozen), mask);
        costs_[index(first, end)] = {run.forward_ns, run.backward_ns()};
      }
    }
  }

  Duration time(LayerId first, LayerId end, double slowness) const {
    const RunCost& run = costs_[index(first, end)];
    return rounded(run.forward_ns * slowness) + rounded(run.backward_ns * slowness);
  }

 private:
  struct RunCost {
    double forward_ns = 0;
    double backward_ns = 0;
  };

  StageWork work(LayerId first, LayerId end, bool frozen) const {
    if (end <= line_) return {first, end, BackwardNeed::kNone, end};
    if (frozen) return {first, end, BackwardNeed::kInputGradient, first};
    if (first <= line_) return {first, end, BackwardNeed::kToFrostLine, std::max(first, line_)};
    return {first, end, BackwardNeed::kFull, first};
  }

  std::size_t index(LayerId first, LayerId end) const {
    return first.index() * (static_cast<std::size_t>(layers_) + 1) + end.index();
  }

  int layers_;
  LayerId line_;  // 0 where nothing is cut: what is frozen below it is work as above it
  std::vector<RunCost> costs_;
};

/// The time of every run of layers on every stage.
class StageTimes {
 public:
  StageTimes(const ModelCost& cost, const UnitTable& units, const FreezeMask& mask, Cut cut,
             const std::vector<double>& slowness)
      : layers_(units.layers()), first_(cost, units, mask, cut != Cut::kNone), slowness_(slowness) {
    if (cut == Cut::kFirstStage) rest_.emplace(cost, units, mask, false);
  }

  int layers() const { return layers_; }
  int stages() const { return static_cast<int>(slowness_.size()); }
  Duration operator()(StageId stage, LayerId first, LayerId end) const {
    const RunCosts& costs = stage.value == 0 || !rest_ ? first_ : *rest_;
    return costs.time(first, end, slowness_[stage.index()]);
  }

 private:
  int layers_;
  RunCosts first_;                // of the first stage, and of all if the cut is theirs too
  std::optional<RunCosts> rest_;  // of the others
  const std::vector<double>& slowness_;
};

/// The best partition of the layers from `first` on into some number of stages.
struct Tail {
  Duration slowest = Duration::max();
  LayerId split;  ///< where its first stage ends
};

/// Best tails from `stage` on; `rest` are those from the next on, indexed by first layer.
std::vector<Tail> tails_from(StageId stage, const std::vector<Tail>& rest,
                             const StageTimes& times) {
  std::vector<Tail> tails(rest.size());
  for (const LayerId first : base::ids<LayerId>(times.layers())) {
    Tail& best = tails[first.index()];
    for (const LayerId split : base::IdRange<LayerId>(first.value + 1, times.layers())) {
      const Duration after = rest[split.index()].slowest;
      if (after >= best.slowest) continue;  // covers tails that have too few layers
      const Duration slowest = std::max(times(stage, first, split), after);
      if (slowest < best.slowest) best = {slowest, split};
    }
  }
  return tails;
}

std::vector<Tail> last_stage(const StageTimes& times) {
  const LayerId end{times.layers()};
  const StageId last{times.stages() - 1};
  std::vector<Tail> tails(end.index() + 1);
  for (const LayerId first : base::ids<LayerId>(end.value)) {
    tails[first.index()] = {times(last, first, end), end};
  }
  return tails;
}

/// `tails` are the best from each stage on, the last stage first.
Partition follow_splits(const std::vector<std::vector<Tail>>& tails) {
  std::vector<int> counts;
  LayerId first;
  for (auto stage = tails.rbegin(); stage != tails.rend(); ++stage) {
    const LayerId split = (*stage)[first.index()].split;
    counts.push_back(split.value - first.value);
    first = split;
  }
  return Partition(counts);
}

}  // namespace

Partition balanced_partition(const ModelCost& cost, const UnitTable& units, const FreezeMask& mask,
                             Cut cut, const std::vector<double>& slowness) {
  assert(static_cast<int>(cost.layers.size()) == units.layers());
  const auto stages = static_cast<int>(slowness.size());
  // One layer a stage leaves nothing to choose; fewer are refused there.
  if (stages < 1 || units.layers() <= stages) return Partition::even(units.layers(), stages);
  const StageTimes times(cost, units, mask, cut, slowness);
  std::vector<std::vector<Tail>> tails{last_stage(times)};
  for (StageId stage{stages - 1}; stage.value > 0;) {
    stage = stage.previous();
    tails.push_back(tails_from(stage, tails.back(), times));
  }
  return follow_splits(tails);
}

Partition balanced_partition(const ModelCost& cost, const UnitTable& units, const FreezeMask& mask,
                             int stages) {
  const auto count = static_cast<std::size_t>(std::max(stages, 0));
  return balanced_partition(cost, units, mask, Cut::kPrefix, std::vector<double>(count, 1));
}

}  // namespace frostline::cost
