#pragma once

#include <array>
#include <cassert>
#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/id.h"

namespace frostline::pipeline {

using base::LayerId;
using base::MicroBatch;
using base::Rank;
using base::StageId;
using base::UnitId;

/// What a rank can do. The text forms are those of PyTorch's pipeline schedules.
enum class ActionKind : std::uint8_t {
  kForward,          ///< F
  kBackward,         ///< B, input and weight gradient in one
  kInputGradient,    ///< I
  kWeightGradient,   ///< W
  kSendForward,      ///< SEND_F: the stage's output to the next stage
  kReceiveForward,   ///< RECV_F: the stage's input from the stage before
  kSendBackward,     ///< SEND_B: the gradient of the stage's input to the stage before
  kReceiveBackward,  ///< RECV_B: the gradient of the stage's output from the next stage
  kReduceGradient,   ///< REDUCE_GRAD: the stage's gradients over the replicas
  kUnshard,          ///< UNSHARD
  kReshard,          ///< RESHARD
};

/// One thing that a rank does for one stage and, except for the last three kinds, one micro-batch.
struct Step {
  ActionKind kind = ActionKind::kForward;
  StageId stage;
  std::optional<MicroBatch> micro_batch;

  friend auto operator<=>(const Step&, const Step&) = default;
};

/// One step, or the two of an overlapped pair: what a range-based for loop over an action sees.
struct ActionSteps {
  std::array<Step, 2> steps;
  std::uint8_t count = 1;

  const Step* begin() const { return steps.data(); }
  const Step* end() const { return steps.data() + count; }
  const Step& operator[](std::size_t index) const { return steps[index]; }
};

/// One entry of a schedule: a step, or two computations that run overlapped, as one with its own
/// cost. Packed into 16 bytes: a large pipeline's schedule has tens of millions of them.
class Action {
 public:
  static constexpr int kMostStages = 1 << 16;

  Action(ActionKind kind, StageId stage, MicroBatch micro_batch)
      : Action(Step{kind, stage, micro_batch}) {}
  explicit Action(const Step& step) { put(0, step); }
  /// A forward and a backward of different micro-batches at the same time.
  static Action overlap(const Step& first, const Step& second);

  Step first() const { return get(0); }
  ActionKind kind() const { return kinds_[0]; }  ///< the first step's
  /// Of the first step, which has a micro-batch: for walks over tens of millions of actions.
  std::size_t stage_index() const { return stages_[0]; }
  std::size_t micro_batch_index() const { return static_cast<std::size_t>(micro_batches_[0]); }
  bool is_overlap() const { return count_ == 2; }
  ActionSteps steps() const { return {{get(0), get(1)}, count_}; }

  friend auto operator<=>(const Action&, const Action&) = default;

 private:
  static constexpr std::int32_t kNoMicroBatch = -1;

  void put(std::size_t index, const Step& step) {
    assert(step.stage.value >= 0 && step.stage.value < kMostStages);
    stages_[index] = static_cast<std::uint16_t>(step.stage.value);
    micro_batches_[index] = step.micro_batch ? step.micro_batch->value : kNoMicroBatch;
    kinds_[index] = step.kind;
  }
  Step get(std::size_t index) const {
    Step step{kinds_[index], {stages_[index]}, std::nullopt};
    if (micro_batches_[index] != kNoMicroBatch) step.micro_batch = {micro_batches_[index]};
    return step;
  }

  std::array<std::int32_t, 2> micro_batches_{};
  std::array<std::uint16_t, 2> stages_{};
  std::array<ActionKind, 2> kinds_{};
  std::uint8_t count_ = 1;
};
static_assert(sizeof(Action) == 16);

constexpr bool is_computation(ActionKind kind) {  ///< F, B, I, W
  return kind <= ActionKind::kWeightGradient;
}
constexpr bool is_backward(ActionKind kind) {  ///< B, I, W
  return is_computation(kind) && kind != ActionKind::kForward;
}
constexpr bool is_send(ActionKind kind) {
  return kind == ActionKind::kSendForward || kind == ActionKind::kSendBackward;
}
constexpr bool is_receive(ActionKind kind) {
  return kind == ActionKind::kReceiveForward || kind == ActionKind::kReceiveBackward;
}
/// All but the last three kinds.
constexpr bool carries_micro_batch(ActionKind kind) { return kind < ActionKind::kReduceGradient; }
inline bool is_computation(const Action& action) { return is_computation(action.kind()); }

/// "2F0", "0I1", "3SEND_F1", "1REDUCE_GRAD", "(0F3;7B1)OVERLAP_F_B".
std::string to_text(const Step& step);
std::string to_text(const Action& action);

/// The exact inverse of to_text. Throws base::Error with the text and what is allowed.
Action parse_action(std::string_view text);

}  // namespace frostline::pipeline
