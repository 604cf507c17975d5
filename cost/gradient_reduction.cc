#include "cost/gradient_reduction.h"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <cmath>
#include <set>
#include <tuple>

#include "base/error.h"

namespace frostline::cost {
namespace {

using base::Bytes;
using base::Duration;
using pipeline::LayerId;
using pipeline::Plan;
using pipeline::StageId;
using pipeline::UnitId;
using pipeline::UnitTable;

constexpr std::int64_t kElementBytes = 4;
constexpr std::int64_t kMostBytes = std::int64_t{1} << 50;

std::vector<Bytes> trained_bytes(const UnitTable& units, const Plan& plan) {
  const pipeline::FreezeMask frozen = plan.freeze.whole_step();
  std::vector<Bytes> bytes(static_cast<std::size_t>(plan.partition.stages()));
  for (const UnitId unit : base::ids<UnitId>(units.size())) {
    if (frozen.frozen(unit)) continue;
    const pipeline::Unit& trained = units.units[unit.index()];
    std::set<StageId> stages;
    for (const LayerId layer : trained.layers) stages.insert(plan.partition.stage_of(layer));
    for (const StageId stage : stages)
      bytes[stage.index()] += Bytes{trained.elements} * kElementBytes;
  }
  return bytes;
}

/// One a rank; of a rank that reduces nothing a single device, which is in nobody's way.
std::vector<std::vector<int>> replica_rings(const Plan& plan, const std::vector<Bytes>& gradients,
                                            int replicas) {
  const int ranks = plan.schedule->shape.ranks;
  std::vector<std::vector<int>> rings;
  for (int rank = 0; rank < ranks; ++rank) rings.push_back({rank});
  std::set<pipeline::Rank> reducing;
  for (const StageId stage : base::ids<StageId>(plan.partition.stages())) {
    if (gradients[stage.index()] > Bytes{}) reducing.insert(plan.schedule->rank_of(stage));
  }
  for (const pipeline::Rank rank : reducing) {
    for (int replica = 1; replica < replicas; ++replica) {
      rings[rank.index()].push_back(replica * ranks + rank.value);
    }
  }
  return rings;
}

/// `part` of `whole` bytes of what is done from start to end, rounded up.
Duration done(const LastBackward& backward, Bytes part, Bytes whole) {
  __extension__ using Wide = __int128;
  const Wide time = (backward.end - backward.start).count();
  const Wide share = (time * part.count + whole.count - 1) / whole.count;
  return backward.start + Duration(static_cast<Duration::rep>(share));
}

void check_bytes(Bytes bytes) {
  if (bytes.count <= kMostBytes) return;
  throw base::Error(
      fmt::format("a stage's gradients are {}, and at most {} can be reduced; use a "
                  "smaller model or more stages",
                  base::to_text(bytes), base::to_text(Bytes{kMostBytes})));
}

}  // namespace

GradientReduction::GradientReduction(const UnitTable& units, const Plan& plan,
                                     const ClusterSettings& cluster, const Topology& topology,
                                     int replicas)
    : gradients_(trained_bytes(units, plan)),
      rank_of_stage_(plan.schedule->rank_of_stage),
      bucket_{std::llround(std::ldexp(cluster.bucket_mib, 20))},
      overlap_(cluster.overlap),
      replicas_(replicas),
      rings_(topology, replica_rings(plan, gradients_, replicas)) {
  assert(replicas > 0 && bucket_ > Bytes{});
  for (const Bytes bytes : gradients_) check_bytes(bytes);
}

std::vector<GradientReduction::Bucket> GradientReduction::buckets(const RankEnd& rank) const {
  std::vector<Bucket> buckets;
  for (const LastBackward& backward : rank.stages) {
    assert(backward.start <= backward.end && backward.end <= rank.last_computation);
    const Bytes all = gradients(backward.stage);
    for (Bytes filled; filled < all;) {
      const Bytes bytes = std::min(bucket_, all - filled);
      filled += bytes;
      const Duration ready = overlap_ ? done(backward, filled, all) : rank.last_computation;
      buckets.push_back({ready, backward.stage, bytes});
    }
  }
  std::stable_sort(buckets.begin(), buckets.end(), [](const Bucket& a, const Bucket& b) {
    return std::tuple(a.ready, b.stage) < std::tuple(b.ready, a.stage);
  });
  return buckets;
}

RankReduction GradientReduction::reduce(std::size_t rank, const RankEnd& end) const {
  RankReduction reduction{end.last_computation, {}};
  if (replicas_ == 1) return reduction;
  Duration free{};
  for ([[maybe_unused]] const LastBackward& backward : end.stages) {
    assert(rank_of_stage_.at(backward.stage.index()).index() == rank);
  }
  for (const Bucket& bucket : buckets(end)) {
    free = std::max(free, bucket.ready) + rings_.all_reduce(rank, bucket.bytes);
    reduction.bytes += bucket.bytes;
    if (free - end.last_computation > kLongestAllReduce) {
      throw base::Error(
          fmt::format("the gradient reductions of rank {} take more than 73 years; use faster "
                      "links in [cluster], or larger cluster.bucket_mib",
                      rank));
    }
  }
  reduction.end = std::max(end.last_computation, free);
  return reduction;
}

std::vector<RankReduction> GradientReduction::reduce(const std::vector<RankEnd>& ranks) const {
  std::vector<std::size_t> backwards(gradients_.size(), 0);
  for (const RankEnd& rank : ranks) {
    for (const LastBackward& backward : rank.stages) ++backwards.at(backward.stage.index());
  }
  std::vector<RankReduction> reductions;
  for (std::size_t stage = 0; stage < gradients_.size(); ++stage) {
    assert(gradients_[stage] == Bytes{} || backwards[stage] == 1);
  }
  for (std::size_t rank = 0; rank < ranks.size(); ++rank) {
    reductions.push_back(reduce(rank, ranks[rank]));
  }
  return reductions;
}

}  // namespace frostline::cost
