#include "exec/rank_stage.h"

#include <algorithm>
#include <cassert>
#include <numeric>

#include "pipeline/dependencies.h"

namespace frostline::exec {

using pipeline::ActionKind;
using pipeline::MicroBatch;
using pipeline::StageId;
using pipeline::Step;

namespace {

pipeline::UnitId unit_of(const std::string& tensor, const pipeline::UnitTable& units) {
  for (const auto id : base::ids<pipeline::UnitId>(units.size())) {
    const auto& tensors = units.units[id.index()].tensors;
    if (std::ranges::find(tensors, tensor) != tensors.end()) return id;
  }
  assert(!"the unit table lacks a tensor that the model has");
  return {-1};
}

}  // namespace

RankStage::RankStage(const models::LearningTask& task, const pipeline::UnitTable& units,
                     const pipeline::Plan& plan, pipeline::Rank rank, HandOver& hand_over,
                     std::uint64_t seed)
    : task_(task), units_(units), rank_(rank), hand_over_(hand_over), seed_(seed) {
  build(plan);
  apply(plan);
}

void RankStage::build(const pipeline::Plan& plan) {
  plan_.partition = plan.partition;
  for (const auto stage : base::ids<StageId>(plan.schedule->shape.stages())) {
    if (plan.schedule->rank_of(stage) != rank_) continue;
    auto id = plan.partition.first(stage);
    for (auto& layer : task_.build_layers(id, plan.partition.end(stage))) {
      note_parameters(layers_.emplace_back(id, std::move(layer), units_.units_of(id)));
      ++id;
    }
  }
}

void RankStage::note_parameters(const PlacedLayer& placed) {
  for (const auto& [name, tensor] : placed.layer->parameters()) {
    parameters_.push_back({name, tensor, unit_of(name, units_), placed.id});
  }
}

void RankStage::apply(const pipeline::Plan& plan) {
  assert(plan.partition == plan_.partition);
  plan_ = plan;
  rules_.emplace(plan, units_);
  mask_ = {};  // a thaw or another size must not be taken for the mask that is set
  use_mask({0});
}

void RankStage::begin_step(std::int64_t step) {
  assert(in_flight_.empty() && outgoing_.empty());
  step_ = step;
  evaluating_.reset();
  losses_.clear();
  if (plan_.schedule->rank_of(plan_.schedule->last_stage()) != rank_) return;
  losses_.resize(static_cast<std::size_t>(plan_.schedule->shape.micro_batches));
}

void RankStage::begin_evaluation(pipeline::Split split) {
  evaluating_ = split;
  outputs_.clear();
}

std::optional<double> RankStage::loss() const {
  if (losses_.empty()) return std::nullopt;
  const double sum = std::accumulate(losses_.begin(), losses_.end(), 0.0);
  return sum / static_cast<double>(losses_.size());
}

bool RankStage::begin(const pipeline::Action& action, std::coroutine_handle<>) {
  for (const Step& step : action.steps()) perform_step(step);
  return true;
}

void RankStage::perform_step(const Step& step) {
  switch (step.kind) {
    case ActionKind::kForward:
      return forward(step.stage, *step.micro_batch);
    case ActionKind::kBackward:
    case ActionKind::kInputGradient:  // all units are frozen: the graph holds no weight
      return backward(step.stage, *step.micro_batch);
    case ActionKind::kSendForward:
    case ActionKind::kSendBackward:
      return hand_over_.put(pipeline::receive_of(step),
                            std::move(outgoing_.extract(step).mapped()));
    case ActionKind::kReceiveForward:
    case ActionKind::kReceiveBackward:
      return;  // posted by nature; the computation that consumes it takes it
    default:
      assert(!"an action that check_plan refuses");
  }
}

void RankStage::ship(const Step& send, at::Tensor tensor) {
  const Step receive = pipeline::receive_of(send);
  if (plan_.schedule->rank_of(receive.stage) == rank_) {
    hand_over_.put(receive, std::move(tensor));
  } else {
    outgoing_.emplace(send, std::move(tensor));
  }
}

bool RankStage::is_last(StageId stage) const { return stage == plan_.schedule->last_stage(); }

/// `requires_grad` decides at the forward what joins the graph, and at the backward what of the
/// graph still accumulates: so a micro-batch's mask stands during both.
void RankStage::use_mask(MicroBatch micro_batch) {
  const auto& mask = plan_.freeze.mask(micro_batch);
  if (mask == mask_) return;
  mask_ = mask;
  for (const Parameter& parameter : parameters_) {
    parameter.tensor.set_requires_grad(!mask.frozen(parameter.unit));
  }
}

}  // namespace frostline::exec
