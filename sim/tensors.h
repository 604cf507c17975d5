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

  Tensor& output(pipeline::StageId stage, pipeline::MicroBatch micro_batch) {
    return outputs_[place(stage, micro_batch)];
  }
  Tensor& gradient(pipeline::StageId stage, pipeline::MicroBatch micro_batch) {
    return gradients_[place(stage, micro_batch)];
  }
  /// What a transfer or a computation other than W is about: of a receive, what the neighbour made.
  Tensor& of(const pipeline::Step& step) {
    using pipeline::ActionKind;
    switch (step.kind) {
      case ActionKind::kForward:
      case ActionKind::kSendForward:
        return output(step.stage, *step.micro_batch);
      case ActionKind::kReceiveForward:
        return output(step.stage.previous(), *step.micro_batch);
      case ActionKind::kReceiveBackward:
        return gradient(step.stage.next(), *step.micro_batch);
      default:
        return gradient(step.stage, *step.micro_batch);
    }
  }

 private:
  std::size_t place(pipeline::StageId stage, pipeline::MicroBatch micro_batch) const {
    assert(micro_batch.index() < micro_batches_);
    return stage.index() * micro_batches_ + micro_batch.index();
  }
  std::size_t micro_batches_;
  std::vector<Tensor> outputs_;
  std::vector<Tensor> gradients_;
};

}  // namespace frostline::sim
