#pragma once

#include <vector>

#include "base/bytes.h"
#include "base/time.h"
#include "cost/cluster_settings.h"
#include "cost/ring.h"
#include "pipeline/plan.h"
#include "pipeline/units.h"

namespace frostline::cost {

/// A stage's last computation of weight gradients in a step: B or W.
struct LastBackward {
  pipeline::StageId stage;
  base::Duration start{};
  base::Duration end{};
};

/// What a rank computes at the end of a step; of its replicas' devices the latest counts.
struct RankEnd {
  /// One for each of its stages that trains.
  std::vector<LastBackward> stages;
  base::Duration last_computation{};  ///< the end of it
};

struct RankReduction {
  base::Duration end{};  ///< of its computations and its reductions
  base::Bytes bytes;     ///< reduced; 0 without replicas

  friend bool operator==(const RankReduction&, const RankReduction&) = default;
};

/// The sum of the gradients over the replicas, at the end of a step.
///
/// Gradients are reduced as by PyTorch's DistributedDataParallel (Li et al., VLDB 13(12), 2020): a
/// stage's are laid out from its last layer's to its first, 4 bytes an element, and cut into
/// buckets of cluster.bucket_mib, the last of which may be smaller. (DDP does not cut a tensor in
/// two.) Units that are frozen in the whole step are left out. Of a unit that several layers of a
/// stage share, the gradient is complete with the first of them; each stage that has it reduces it.
///
/// With cluster.overlap a bucket is ready when its share of the stage's last backward is done, by
/// bytes in the order of the buckets: the time of that backward is taken as spread evenly over the
/// units that train. Without it, all are ready at the rank's last computation's end. A rank reduces
/// its buckets one after another in order of readiness, of equals the later stage's first.
///
/// Each rank's ring joins its replicas' devices (device d x ranks + r of replica d). The rings of
/// all ranks that reduce anything are taken as under way at the same time (cost/ring.h), so the
/// ends are upper bounds.
class GradientReduction {
 public:
  /// The plan's partition and freezing. `topology` joins its ranks x replicas devices.
  GradientReduction(const pipeline::UnitTable& units, const pipeline::Plan& plan,
                    const ClusterSettings& cluster, const Topology& topology, int replicas);

  /// Trained bytes of a stage, 4 an element.
  base::Bytes gradients(pipeline::StageId stage) const { return gradients_.at(stage.index()); }

  /// One a rank. Each stage that has gradients has its last backward there (asserted). Throws
  /// base::Error if a rank's reductions take longer than kLongestAllReduce.
  std::vector<RankReduction> reduce(const std::vector<RankEnd>& ranks) const;

 private:
  struct Bucket {
    base::Duration ready{};
    pipeline::StageId stage;
    base::Bytes bytes;
  };

  std::vector<Bucket> buckets(const RankEnd& rank) const;
  RankReduction reduce(std::size_t rank, const RankEnd& end) const;

  std::vector<base::Bytes> gradients_;  ///< one a stage
  std::vector<pipeline::Rank> rank_of_stage_;
  base::Bytes bucket_;
  bool overlap_;
  int replicas_;
  Rings rings_;  ///< one a rank
};

}  // namespace frostline::cost
