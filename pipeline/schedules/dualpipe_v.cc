#include "pipeline/schedules/dualpipe_v.h"

#include <fmt/format.h>

#include <deque>

#include "pipeline/schedules/rank_order.h"
#include "pipeline/schedules/two_chunks.h"

namespace frostline::pipeline {
namespace {

std::optional<std::string> refuse(const PipelineShape& shape) {
  if (auto refusal = refuse_other_than_two_chunks(kDualPipeV.name, shape)) return refusal;
  if (shape.micro_batches >= shape.stages()) return std::nullopt;
  return fmt::format(
      "{} needs as many micro-batches as stages (2 x ranks = {}), but micro_batches = {}; use at "
      "least {}",
      kDualPipeV.name, shape.stages(), shape.micro_batches, shape.stages());
}

/// One rank's list, phase by phase.
class DualPipeV {
 public:
  DualPipeV(const PipelineShape& shape, Rank rank)
      : behind_(shape.ranks - 1 - rank.value),
        up_to_here_(rank.value + 1),
        pairs_(shape.micro_batches - shape.stages() + up_to_here_),
        stages_(stage_pair(shape, rank)),
        order_(shape.micro_batches) {}

  std::vector<Action> actions() {
    warm_up();
    steady();
    cool_down();
    return order_.take();
  }

 private:
  void forward(StageId stage) { order_.add(ActionKind::kForward, stage); }
  void backward(StageId stage) { order_.add(ActionKind::kBackward, stage); }
  void overlap(StageId forward, StageId backward) { order_.add_overlap(forward, backward); }
  void input_gradient(StageId stage) {
    order_.add(ActionKind::kInputGradient, stage);
    put_off_.push_back(stage);
  }
  void oldest_weight_gradient() {
    order_.add(ActionKind::kWeightGradient, put_off_.front());
    put_off_.pop_front();
  }

  void warm_up() {
    for (int i = 0; i < 2 * behind_; ++i) forward(stages_.down);
    for (int i = 0; i < up_to_here_; ++i) {
      forward(stages_.down);
      forward(stages_.up);
    }
    for (int i = 0; i < behind_; ++i) {
      input_gradient(stages_.up);
      oldest_weight_gradient();
      forward(stages_.up);
    }
  }

  void steady() {
    for (int i = 0; i < pairs_; ++i) {
      if (i == 0 && behind_ == 0) {
        // Here the pipeline turns round: a pair would hold up the first backward of all.
        forward(stages_.down);
        backward(stages_.up);
      } else {
        overlap(stages_.down, stages_.up);
      }
      overlap(stages_.up, stages_.down);
    }
    for (int i = 0; i < behind_; ++i) {
      backward(stages_.up);
      overlap(stages_.up, stages_.down);
    }
  }

  /// The weight gradients of the later half of the backwards are put off to fill the bubble.
  void cool_down() {
    for (int i = 0; i < 2 * up_to_here_; ++i) {
      const StageId stage = i % 2 == 0 ? stages_.up : stages_.down;
      if (i < up_to_here_) {
        backward(stage);
      } else {
        input_gradient(stage);
      }
    }
    for (int i = 0; i < behind_; ++i) {
      oldest_weight_gradient();
      input_gradient(stages_.down);
    }
    while (!put_off_.empty()) oldest_weight_gradient();
  }

  int behind_;      // ranks
  int up_to_here_;  // ranks, this one included
  int pairs_;       // of overlapped pairs, in the steady phase
  StagePair stages_;
  RankOrder order_;
  std::deque<StageId> put_off_;  // stages of the weight gradients still to come
};

Schedule make(const ScheduleRequest& request) {
  const PipelineShape& shape = request.shape;
  Schedule schedule{std::string(kDualPipeV.name), shape, v_placement(shape.ranks), {}};
  for (const Rank rank : base::ids<Rank>(shape.ranks)) {
    schedule.actions.push_back(DualPipeV(shape, rank).actions());
  }
  return schedule;
}

}  // namespace

constinit const ScheduleKind kDualPipeV{"dualpipe_v",
                                        "Two chunks a rank, whose forwards and backwards overlap.",
                                        refuse,
                                        make,
                                        "chunks = 2; micro_batches at least 2 x ranks",
                                        place_in_v};

}  // namespace frostline::pipeline
