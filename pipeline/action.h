#pragma once

#include <array>
#include <compare>
#include <cstdint>
#include <optional>
#include <span>
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

/// One entry of a schedule: a step, or two computations that run overlapped, as one with its own
/// cost.
class Action {
 public:
  Action(ActionKind kind, StageId stage, MicroBatch micro_batch)
      : steps_{Step{kind, stage, micro_batch}} {}
  explicit Action(const Step& step) : steps_{step} {}
  /// A forward and a backward of different micro-batches at the same time.
  static Action overlap(const Step& first, const Step& second);

  const Step& first() const { return steps_[0]; }
  bool is_overlap() const { return count_ == 2; }
  /// One step, or the two of an overlapped pair.
  std::span<const Step> steps() const { return {steps_.data(), count_}; }

  friend auto operator<=>(const Action&, const Action&) = default;

 private:
  std::array<Step, 2> steps_;
  std::uint8_t count_ = 1;
};

bool is_computation(ActionKind kind);  ///< F, B, I, W
bool is_backward(ActionKind kind);     ///< B, I, W
bool is_send(ActionKind kind);
bool is_receive(ActionKind kind);
bool carries_micro_batch(ActionKind kind);  ///< all but the last three kinds
bool is_computation(const Action& action);

/// "2F0", "0I1", "3SEND_F1", "1REDUCE_GRAD", "(0F3;7B1)OVERLAP_F_B".
std::string to_text(const Step& step);
std::string to_text(const Action& action);

/// The exact inverse of to_text. Throws base::Error with the text and what is allowed.
Action parse_action(std::string_view text);

}  // namespace frostline::pipeline
