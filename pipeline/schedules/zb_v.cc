#include "pipeline/schedules/zb_v.h"

#include <algorithm>

#include "pipeline/schedules/rank_order.h"
#include "pipeline/schedules/two_chunks.h"

namespace frostline::pipeline {
namespace {

std::optional<std::string> refuse(const PipelineShape& shape) {
  return refuse_other_than_two_chunks(kZbV.name, shape);
}

/// One rank's list, phase by phase. The phases need 2 ranks - 1 micro-batches; with fewer the list
/// is that of so many, with those beyond left out.
class ZbV {
 public:
  ZbV(const PipelineShape& shape, Rank rank)
      : before_(rank.value),
        from_here_(shape.ranks - rank.value),
        micro_batches_(std::max(shape.micro_batches, 2 * shape.ranks - 1)),
        stages_(stage_pair(shape, rank)),
        order_(shape.micro_batches) {}

  std::vector<Action> actions() {
    warm_up();
    while (count(ActionKind::kForward, stages_.up) < micro_batches_) steady();
    cool_down();
    return order_.take();
  }

 private:
  int count(ActionKind kind, StageId stage) const { return order_.count(kind, stage); }
  void forward(StageId stage) { order_.add(ActionKind::kForward, stage); }
  void input_gradient(StageId stage) { order_.add(ActionKind::kInputGradient, stage); }
  void weight_gradient(StageId stage) { order_.add(ActionKind::kWeightGradient, stage); }
  void backward(StageId stage) {
    input_gradient(stage);
    weight_gradient(stage);
  }

  /// Until the first micro-batch has gone down and up again as far as here.
  void warm_up() {
    for (int i = 0; i < 2 * from_here_ - 1; ++i) forward(stages_.down);
    for (int i = 0; i < before_; ++i) {
      forward(stages_.up);
      forward(stages_.down);
    }
    for (int i = 0; i < from_here_; ++i) {
      forward(stages_.up);
      backward(stages_.up);
    }
  }

  void steady() {
    if (count(ActionKind::kForward, stages_.down) < micro_batches_) forward(stages_.down);
    backward(stages_.down);
    forward(stages_.up);
    backward(stages_.up);
  }

  /// The weight gradients fill what would be a bubble.
  void cool_down() {
    for (int i = 0; i < before_; ++i) {
      input_gradient(stages_.down);
      input_gradient(stages_.up);
    }
    for (int i = 0; i < from_here_; ++i) backward(stages_.down);
    while (count(ActionKind::kWeightGradient, stages_.up) < micro_batches_)
      weight_gradient(stages_.up);
    while (count(ActionKind::kWeightGradient, stages_.down) < micro_batches_)
      weight_gradient(stages_.down);
  }

  int before_;     // ranks
  int from_here_;  // ranks, this one included
  int micro_batches_;
  StagePair stages_;
  RankOrder order_;
};

Schedule make(const ScheduleRequest& request) {
  const PipelineShape& shape = request.shape;
  Schedule schedule{std::string(kZbV.name), shape, v_placement(shape.ranks), {}};
  for (const Rank rank : base::ids<Rank>(shape.ranks)) {
    schedule.actions.push_back(ZbV(shape, rank).actions());
  }
  return schedule;
}

}  // namespace

constinit const ScheduleKind kZbV{
    "zb_v",       "Zero bubble with two chunks a rank, down the ranks and up again.",
    refuse,       make,
    "chunks = 2", place_in_v};

}  // namespace frostline::pipeline
