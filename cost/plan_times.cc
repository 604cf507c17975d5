#include "cost/plan_times.h"

#include <algorithm>
#include <cassert>

#include "cost/stage_cost.h"
#include "cost/topology.h"
#include "pipeline/step_path.h"

namespace frostline::cost {
namespace {

using pipeline::ActionKind;
using pipeline::LayerId;
using pipeline::MicroBatch;
using pipeline::Plan;
using pipeline::Rank;
using pipeline::StageId;
using pipeline::Step;
using pipeline::UnitTable;

base::Bytes stage_activation(const ModelCost& cost, const pipeline::Partition& partition,
                             StageId stage) {
  base::Bytes sum;
  for (const LayerId layer : partition.layers_of(stage)) {
    sum += cost.layers[layer.index()].activation;
  }
  return sum;
}

double optimizer_ns(const ModelCost& cost, const UnitShares& shares, const Plan& plan, Rank rank) {
  const pipeline::FreezeMask mask = plan.freeze.whole_step();
  double sum = 0;
  for (const StageId stage : base::ids<StageId>(plan.partition.stages())) {
    if (plan.schedule->rank_of(stage) != rank) continue;
    for (const LayerId layer : plan.partition.layers_of(stage)) {
      sum += cost.layers[layer.index()].optimizer_ns * shares.trained(layer, mask);
    }
  }
  return sum * cost.slowness(rank);
}

double slowest_optimizer_ns(const ModelCost& cost, const UnitShares& shares, const Plan& plan) {
  double slowest = 0;
  for (const Rank rank : base::ids<Rank>(plan.schedule->shape.ranks)) {
    slowest = std::max(slowest, optimizer_ns(cost, shares, plan, rank));
  }
  return slowest;
}

}  // namespace

PlanTimes::PlanTimes(const ModelCost& cost, const UnitTable& units, const Plan& plan)
    : stage_count_(plan.partition.stages()), uniform_(plan.freeze.uniform()) {
  assert(static_cast<int>(cost.layers.size()) == units.layers());
  assert(plan.partition.layers() == units.layers());
  const UnitShares shares(units);
  const pipeline::FreezeRules rules(plan, units);
  pure_delay_ = rounded(cost.send_ns);
  step_end_ = rounded(cost.step_ns + slowest_optimizer_ns(cost, shares, plan));
  for (const StageId stage : base::ids<StageId>(stage_count_)) {
    full_activation_.push_back(stage_activation(cost, plan.partition, stage));
    borders_.push_back(border(cost, plan, stage));
  }
  for (const MicroBatch batch : base::ids<MicroBatch>(micro_batches(plan))) {
    for (const StageId stage : base::ids<StageId>(stage_count_)) {
      const StageWork work = stage_work(plan.partition, rules, stage, batch);
      StageCost figures = stage_cost(cost, shares, work, plan.freeze.mask(batch));
      figures.take_longer(cost.slowness(plan.schedule->rank_of(stage)));
      stages_.push_back(rounded_times(figures));
    }
  }
}

int PlanTimes::micro_batches(const Plan& plan) {
  return plan.freeze.uniform() ? 1 : plan.schedule->shape.micro_batches;
}

PlanTimes::StageTimes PlanTimes::rounded_times(const StageCost& cost) {
  return {rounded(cost.forward_ns),
          rounded(cost.input_gradient_ns),
          rounded(cost.weight_gradient_ns),
          rounded(cost.backward_ns()),
          cost.activation,
          cost.after_input_gradient,
          cost.recomputed,
          cost.forward_ns * cost.overlapped,
          cost.input_gradient_ns * cost.overlapped,
          cost.weight_gradient_ns * cost.overlapped};
}

const PlanTimes::StageTimes& PlanTimes::times(StageId stage, MicroBatch micro_batch) const {
  assert(stage.value < stage_count_);
  const std::size_t row = uniform_ ? 0 : micro_batch.index();
  return stages_.at(row * static_cast<std::size_t>(stage_count_) + stage.index());
}

base::Duration PlanTimes::duration(const Step& step) const {
  const StageTimes& stage = times(step.stage, step.micro_batch.value());
  switch (step.kind) {
    case ActionKind::kForward:
      return stage.forward;
    case ActionKind::kBackward:
      return stage.backward;
    case ActionKind::kInputGradient:
      return stage.input_gradient;
    case ActionKind::kWeightGradient:
      return stage.weight_gradient;
    default:
      break;
  }
  assert(!"only computations have a time");
  return {};
}

double PlanTimes::overlapped_ns(const Step& step) const {
  const StageTimes& stage = times(step.stage, step.micro_batch.value());
  switch (step.kind) {
    case ActionKind::kForward:
      return stage.overlapped_forward_ns;
    case ActionKind::kInputGradient:
      return stage.overlapped_input_ns;
    case ActionKind::kWeightGradient:
      return stage.overlapped_weight_ns;
    default:
      return stage.overlapped_input_ns + stage.overlapped_weight_ns;
  }
}

base::Duration PlanTimes::computation(const pipeline::Action& action) const {
  if (!action.is_overlap()) return duration(action.first());
  double sum = 0;
  for (const Step& step : action.steps()) sum += overlapped_ns(step);
  return rounded(sum);
}

PlanTimes::Border PlanTimes::border(const ModelCost& cost, const Plan& plan, StageId stage) const {
  const base::Duration delay = rounded(cost.send_ns);
  if (stage.value + 1 == stage_count_) return {{}, delay, delay};
  const LayerId last = plan.partition.end(stage).previous();
  Border border{cost.layers[last.index()].output, delay, delay};
  if (cost.topology == nullptr) return border;
  const int here = plan.schedule->rank_of(stage).value;
  const int there = plan.schedule->rank_of(stage.next()).value;
  const auto add_transfer = [&](int from, int to, base::Duration& whole, base::Duration& links) {
    const base::Duration transfer = cost.topology->lone_transfer(from, to, border.message);
    whole += transfer;
    links = transfer - cost.topology->route(from, to).latency;
  };
  add_transfer(here, there, border.forward, border.forward_occupancy);
  add_transfer(there, here, border.backward, border.backward_occupancy);
  return border;
}

const PlanTimes::Border& PlanTimes::border(const Step& send) const {
  assert(pipeline::is_send(send.kind));
  const bool forward = send.kind == ActionKind::kSendForward;
  return borders_.at((forward ? send.stage : send.stage.previous()).index());
}

base::Duration PlanTimes::delay(const Step& send) const {
  const Border& between = border(send);
  return send.kind == ActionKind::kSendForward ? between.forward : between.backward;
}

base::Duration PlanTimes::occupancy(const Step& send) const {
  const Border& between = border(send);
  return send.kind == ActionKind::kSendForward ? between.forward_occupancy
                                               : between.backward_occupancy;
}

base::Bytes PlanTimes::message(const Step& send) const { return border(send).message; }

base::Bytes PlanTimes::activation(StageId stage, MicroBatch micro_batch) const {
  return times(stage, micro_batch).activation;
}

base::Bytes PlanTimes::activation_after_input_gradient(StageId stage,
                                                       MicroBatch micro_batch) const {
  return times(stage, micro_batch).after_input_gradient;
}

base::Bytes PlanTimes::recomputed(StageId stage, MicroBatch micro_batch) const {
  return times(stage, micro_batch).recomputed;
}

base::Bytes PlanTimes::full_activation(StageId stage) const {
  return full_activation_.at(stage.index());
}

base::Duration predict_step(const ModelCost& cost, const UnitTable& units, const Plan& plan) {
  const PlanTimes times(cost, units, plan);
  return pipeline::StepPath(plan, units, times).evaluate().makespan() + times.step_end();
}

}  // namespace frostline::cost
