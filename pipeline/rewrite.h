#pragma once

#include <optional>
#include <vector>

#include "pipeline/plan.h"
#include "pipeline/units.h"

namespace frostline::pipeline {

/// What a stage still has to do backward for one micro-batch, and why.
enum class BackwardNeed {
  kFull,           ///< some unit trains; the gradient of its input is needed below
  kToFrostLine,    ///< holds the frost line or has nothing below that trains: backward to its first
                   ///< trainable unit, sends nothing
  kInputGradient,  ///< all of its units are frozen; units below train
  kNone,           ///< nothing at or below it trains
};

/// The rules of freezing for a plan, derived once; both ends of every link and both worlds ask
/// here.
class FreezeRules {
 public:
  FreezeRules(const Plan& plan, const UnitTable& units);

  BackwardNeed need(StageId stage, MicroBatch micro_batch) const;
  /// The stage sends the gradient of its input to the stage before it.
  bool sends_gradient(StageId stage, MicroBatch micro_batch) const;
  /// First layer of the stage that takes part in the backward; layers before it keep no graph. The
  /// stage's end if there is none.
  LayerId first_backward_layer(StageId stage, MicroBatch micro_batch) const;

 private:
  struct StageRule {
    BackwardNeed need;
    LayerId first_backward;
  };
  std::size_t index(StageId stage, MicroBatch micro_batch) const;
  std::vector<StageRule> rules_;  // stages × micro-batches (× 1 if uniform)
  int stages_ = 0;
  bool uniform_ = true;
};

/// What is left of a computation: itself, an I in place of a B, or nothing.
inline std::optional<Step> rest_of_computation(const Step& step, BackwardNeed need) {
  if (!is_backward(step.kind)) return step;
  if (need == BackwardNeed::kNone) return std::nullopt;
  if (need != BackwardNeed::kInputGradient) return step;
  if (step.kind == ActionKind::kWeightGradient) return std::nullopt;
  return Step{ActionKind::kInputGradient, step.stage, step.micro_batch};
}

/// The plan's schedule with what freezing saves left out: no W where all of a stage's units are
/// frozen (B becomes I there); no B, I, W below the frost line. Transfers that were placed by hand
/// stay in their places, but for those of gradients that nothing needs. `cut` decides how far a
/// prefix saves.
Schedule rewrite(const Plan& plan, const UnitTable& units);

/// rewrite, lower, validate, dry run: the schedule that every world executes. Throws base::Error if
/// it cannot run.
Schedule executable_schedule(const Plan& plan, const UnitTable& units);

}  // namespace frostline::pipeline
