#pragma once

#include <cassert>
#include <cstdint>
#include <vector>

#include "base/time.h"
#include "pipeline/schedule.h"

namespace frostline::sim {

/// How far the tensor is that a computation hands to a neighbour stage: computed, its receive
/// posted, its arrival known. Packed: a large step has tens of millions of them.
class Tensor {
 public:
  bool computed() const { return (bits_ & kComputed) != 0; }
  bool posted() const { return (bits_ & kPosted) != 0; }
  /// Whether the computation that needs it knows when it may begin.
  bool available() const { return (bits_ & (kPosted | kSent)) == (kPosted | kSent); }
  bool sent() const { return (bits_ & kSent) != 0; }
  /// Of an available one.
  base::Duration arrival() const { return base::Duration(bits_ >> kFlags); }

  void compute() { bits_ |= kComputed; }
  void post() { bits_ |= kPosted; }
  void send(base::Duration arrival) {
    assert(arrival.count() < INT64_MAX >> kFlags);
    bits_ |= kSent | (arrival.count() << kFlags);
  }
  /// Handed over inside a rank, or to nobody.
  void keep(base::Duration end) {
    bits_ = kComputed | kPosted;
    send(end);
  }

 private:
  static constexpr std::int64_t kComputed = 1;
  static constexpr std::int64_t kPosted = 2;
  static constexpr std::int64_t kSent = 4;
  static constexpr int kFlags = 3;
  std::int64_t bits_ = 0;
};

/// The tensors of a step: each stage's output, and the gradient of its input.
class Tensors {
 public:
  explicit Tensors(const pipeline::PipelineShape& shape)
      : micro_batches_(static_cast<std::size_t>(shape.micro_batches)),
        outputs_(static_cast<std::size_t>(shape.stages()) * micro_batches_),
        gradients_(outputs_.size()) {}

  /// Of a stage and micro-batch: a stage's place + step_of_stage() is the next stage's.
  std::size_t place(std::size_t stage, std::size_t micro_batch) const {
    return stage * micro_batches_ + micro_batch;
  }
  std::size_t step_of_stage() const { return micro_batches_; }
  Tensor& output(std::size_t place) { return outputs_[place]; }
  Tensor& gradient(std::size_t place) { return gradients_[place]; }
  /// What a transfer or a computation other than W is about: of a receive, what the neighbour made.
  Tensor& of(const pipeline::Step& step) {
    using pipeline::ActionKind;
    const std::size_t here = place(step.stage.index(), step.micro_batch->index());
    switch (step.kind) {
      case ActionKind::kForward:
      case ActionKind::kSendForward:
        return output(here);
      case ActionKind::kReceiveForward:
        return output(here - micro_batches_);
      case ActionKind::kReceiveBackward:
        return gradient(here + micro_batches_);
      default:
        return gradient(here);
    }
  }

 private:
  std::size_t micro_batches_;
  std::vector<Tensor> outputs_;
  std::vector<Tensor> gradients_;
};

}  // namespace frostline::sim
