#include "cost/balance.h"

#include <algorithm>
#include <cassert>
#include <vector>

#include "cost/stage_cost.h"

namespace frostline::cost {
namespace {

using base::Duration;
using pipeline::BackwardNeed;
using pipeline::FreezeMask;
using pipeline::LayerId;
using pipeline::Partition;
using pipeline::UnitTable;

/// The time of every run of layers as one stage.
class RunTimes {
 public:
  RunTimes(const ModelCost& cost, const UnitTable& units, const FreezeMask& mask)
      : layers_(units.layers()), line_{pipeline::frost_line(units, mask)} {
    const UnitShares shares(units);
    times_.resize(index({layers_}, {0}));
    for (const LayerId first : base::ids<LayerId>(layers_)) {
      bool frozen = true;
      for (LayerId end = first.next(); end.value <= layers_; ++end) {
        frozen = frozen && shares.all_frozen(end.previous(), mask);
        const StageCost run = stage_cost(cost, shares, work(first, end, frozen), mask);
        times_[index(first, end)] = rounded(run.forward_ns) + rounded(run.backward_ns());
      }
    }
  }

  int layers() const { return layers_; }
  Duration operator()(LayerId first, LayerId end) const { return times_[index(first, end)]; }

 private:
  StageWork work(LayerId first, LayerId end, bool frozen) const {
    if (end <= line_) return {first, end, BackwardNeed::kNone, end};
    if (frozen) return {first, end, BackwardNeed::kInputGradient, first};
    if (first <= line_) return {first, end, BackwardNeed::kToFrostLine, line_};
    return {first, end, BackwardNeed::kFull, first};
  }

  std::size_t index(LayerId first, LayerId end) const {
    return first.index() * (static_cast<std::size_t>(layers_) + 1) + end.index();
  }

  int layers_;
  LayerId line_;
  std::vector<Duration> times_;
};

/// The best partition of the layers from `first` on into some number of stages.
struct Tail {
  Duration slowest = Duration::max();
  LayerId split;  ///< where its first stage ends
};

/// Best tails for one stage more than those of `rest` (indexed by first layer) have.
std::vector<Tail> with_one_more_stage(const std::vector<Tail>& rest, const RunTimes& times) {
  std::vector<Tail> tails(rest.size());
  for (const LayerId first : base::ids<LayerId>(times.layers())) {
    Tail& best = tails[first.index()];
    for (const LayerId split : base::IdRange<LayerId>(first.value + 1, times.layers())) {
      const Duration after = rest[split.index()].slowest;
      if (after >= best.slowest) continue;  // covers tails that have too few layers
      const Duration slowest = std::max(times(first, split), after);
      if (slowest < best.slowest) best = {slowest, split};
    }
  }
  return tails;
}

std::vector<Tail> single_stage(const RunTimes& times) {
  const LayerId end{times.layers()};
  std::vector<Tail> tails(end.index() + 1);
  for (const LayerId first : base::ids<LayerId>(end.value)) {
    tails[first.index()] = {times(first, end), end};
  }
  return tails;
}

/// `tails[n]` are the best tails of n + 1 stages.
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
                             int stages) {
  assert(static_cast<int>(cost.layers.size()) == units.layers());
  // One layer a stage leaves nothing to choose; fewer are refused there.
  if (stages < 1 || units.layers() <= stages) return Partition::even(units.layers(), stages);
  const RunTimes times(cost, units, mask);
  std::vector<std::vector<Tail>> tails{single_stage(times)};
  while (static_cast<int>(tails.size()) < stages) {
    tails.push_back(with_one_more_stage(tails.back(), times));
  }
  return follow_splits(tails);
}

}  // namespace frostline::cost
