#pragma once

#include <vector>

#include "cost/layer_cost.h"
#include "pipeline/action_times.h"
#include "pipeline/plan.h"
#include "pipeline/rewrite.h"
#include "pipeline/units.h"

namespace frostline::cost {

struct StageCost;

/// The times and activation sizes of one plan's actions.
///
/// A layer above the frost line costs its input gradient and, for each unit that trains, the unit's
/// part of its weight gradient (by elements); a stage some but not all of whose units are frozen
/// pays `partial_freeze_overhead` on top. A stage whose units are all frozen costs the layers'
/// frozen_backward. In the stage that holds the frost line the layers below it cost their forward
/// alone. Of an overlapped pair each half costs the part of its time that
/// its stage's overlap_saving leaves. Where the cost says to recompute, a backward begins with its
/// stage's forward from the frost line on. Each action is rounded once.
class PlanTimes : public pipeline::ActionTimes {
 public:
  /// `cost` and `units` are of the same layers, and so is the plan's partition (asserted).
  PlanTimes(const ModelCost& cost, const pipeline::UnitTable& units, const pipeline::Plan& plan);

  base::Duration computation(const pipeline::Action& action) const override;
  /// The cost's send_ns, and what the transfer takes on the topology's links, if there is one, when
  /// it has them to itself. Rank r is device r.
  base::Duration delay(const pipeline::Step& send) const override;
  /// The part of it that the links take.
  base::Duration occupancy(const pipeline::Step& send) const override;
  /// The part that occupies nothing and comes on top of links and their latency: send_ns.
  base::Duration pure_delay() const { return pure_delay_; }
  bool uniform() const override { return uniform_; }
  /// What a send carries: the output of the last layer before the border, or its gradient.
  base::Bytes message(const pipeline::Step& send) const;
  /// Held on the stage's rank from the forward of the micro-batch until its backward; 0 where it
  /// has none. With recomputation that is the input alone.
  base::Bytes activation(pipeline::StageId stage, pipeline::MicroBatch micro_batch) const;
  /// The part of it that is still held between I and W; 0 where all units are frozen: no W follows.
  base::Bytes activation_after_input_gradient(pipeline::StageId stage,
                                              pipeline::MicroBatch micro_batch) const;
  /// What B or I makes anew, and holds while it runs, beside the above; 0 without recomputation.
  base::Bytes recomputed(pipeline::StageId stage, pipeline::MicroBatch micro_batch) const;
  /// What one micro-batch holds on the stage when nothing is frozen or recomputed.
  base::Bytes full_activation(pipeline::StageId stage) const;
  /// From the end of the pipeline's work to the end of the step: clip norm and the slowest rank's
  /// optimizer.
  base::Duration step_end() const { return step_end_; }

 private:
  struct StageTimes {
    base::Duration forward, input_gradient, weight_gradient, backward;
    base::Bytes activation, after_input_gradient, recomputed;
    double overlapped_forward_ns, overlapped_input_ns, overlapped_weight_ns;  // in a pair
  };
  static int micro_batches(const pipeline::Plan& plan);
  static StageTimes rounded_times(const StageCost& cost);
  const StageTimes& times(pipeline::StageId stage, pipeline::MicroBatch micro_batch) const;
  base::Duration duration(const pipeline::Step& step) const;
  double overlapped_ns(const pipeline::Step& step) const;

  std::vector<StageTimes> stages_;  // micro-batches (1 if uniform) x stages
  /// Between a stage and the next.
  struct Border {
    base::Bytes message;
    base::Duration forward, backward;
    base::Duration forward_occupancy{}, backward_occupancy{};
  };
  Border border(const ModelCost& cost, const pipeline::Plan& plan, pipeline::StageId stage) const;
  const Border& border(const pipeline::Step& send) const;

  std::vector<base::Bytes> full_activation_;
  std::vector<Border> borders_;
  base::Duration step_end_{};
  base::Duration pure_delay_{};
  int stage_count_ = 0;
  bool uniform_ = true;
};

/// The predicted time of a step: longest path of the rewritten schedule, then step_end. Throws
/// base::Error if the plan cannot run.
base::Duration predict_step(const ModelCost& cost, const pipeline::UnitTable& units,
                            const pipeline::Plan& plan);

}  // namespace frostline::cost
