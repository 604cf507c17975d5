#include "pipeline/action.h"

#include <fmt/format.h>

#include <cassert>
#include <charconv>

#include "base/error.h"

namespace frostline::pipeline {
namespace {

struct KindName {
  ActionKind kind;
  std::string_view text;
};

constexpr std::array kKindNames{
    KindName{ActionKind::kForward, "F"},
    KindName{ActionKind::kBackward, "B"},
    KindName{ActionKind::kInputGradient, "I"},
    KindName{ActionKind::kWeightGradient, "W"},
    KindName{ActionKind::kSendForward, "SEND_F"},
    KindName{ActionKind::kReceiveForward, "RECV_F"},
    KindName{ActionKind::kSendBackward, "SEND_B"},
    KindName{ActionKind::kReceiveBackward, "RECV_B"},
    KindName{ActionKind::kReduceGradient, "REDUCE_GRAD"},
    KindName{ActionKind::kUnshard, "UNSHARD"},
    KindName{ActionKind::kReshard, "RESHARD"},
};

constexpr std::string_view kOverlap = "OVERLAP_F_B";

std::string_view name_of(ActionKind kind) {
  const auto index = static_cast<std::size_t>(kind);
  assert(index < kKindNames.size() && kKindNames[index].kind == kind);
  return kKindNames[index].text;
}

/// Reads one action from the front to the back of its text.
class Parser {
 public:
  explicit Parser(std::string_view text) : text_(text), rest_(text) {}

  Action action() {
    const Action action = take("(") ? overlap() : Action(step());
    if (!rest_.empty()) fail(fmt::format("'{}' is left over", rest_));
    return action;
  }

 private:
  bool take(std::string_view token) {
    if (!rest_.starts_with(token)) return false;
    rest_.remove_prefix(token.size());
    return true;
  }

  bool at_digit() const { return !rest_.empty() && rest_[0] >= '0' && rest_[0] <= '9'; }

  int number(const char* of_what) {
    if (!at_digit()) fail(fmt::format("the number of the {} is missing", of_what));
    int value = 0;
    const auto [end, error] = std::from_chars(rest_.data(), rest_.data() + rest_.size(), value);
    const auto length = static_cast<std::size_t>(end - rest_.data());
    if (error != std::errc()) fail(fmt::format("the number of the {} is too large", of_what));
    // So that an action has one text only.
    if (length > 1 && rest_[0] == '0') fail("a number starts with a needless 0");
    rest_.remove_prefix(length);
    return value;
  }

  ActionKind kind() {
    // Letters and underscores up to the next digit or sign.
    std::size_t length = 0;
    while (length < rest_.size() && (rest_[length] == '_' || is_capital(rest_[length]))) ++length;
    const std::string_view word = rest_.substr(0, length);
    for (const KindName& name : kKindNames) {
      if (name.text == word && take(word)) return name.kind;
    }
    fail(fmt::format("'{}' is not a kind of action", word));
  }

  Step step() {
    const StageId stage{number("stage")};
    if (stage.value >= Action::kMostStages)
      fail(fmt::format("the number of the stage is above {}", Action::kMostStages - 1));
    const ActionKind kind = this->kind();
    if (carries_micro_batch(kind)) return {kind, stage, MicroBatch{number("micro-batch")}};
    if (at_digit()) fail(fmt::format("{} has no micro-batch", name_of(kind)));
    return {kind, stage, std::nullopt};
  }

  Action overlap() {
    const Step first = step();
    if (!take(";")) fail("an overlapped pair has ';' between its two steps");
    const Step second = step();
    if (!take(")") || !take(kOverlap))
      fail(fmt::format("an overlapped pair ends in ){}", kOverlap));
    if (first.kind != ActionKind::kForward || !is_backward(second.kind)) {
      fail("an overlapped pair is a forward and a backward");
    }
    return Action::overlap(first, second);
  }

  static bool is_capital(char c) { return c >= 'A' && c <= 'Z'; }

  [[noreturn]] void fail(const std::string& why) const {
    throw base::Error(fmt::format(
        "'{}' is not an action: {}; write a stage, one of F B I W SEND_F RECV_F SEND_B RECV_B and "
        "a micro-batch, as in 2F0; a stage and one of REDUCE_GRAD UNSHARD RESHARD; or a pair as in "
        "(0F3;7B1){}",
        text_, why, kOverlap));
  }

  std::string_view text_;
  std::string_view rest_;
};

}  // namespace

Action Action::overlap(const Step& first, const Step& second) {
  assert(first.kind == ActionKind::kForward && is_backward(second.kind));
  Action action(first);
  action.put(1, second);
  action.count_ = 2;
  return action;
}

std::string to_text(const Step& step) {
  const std::string text = fmt::format("{}{}", step.stage.value, name_of(step.kind));
  return step.micro_batch ? text + std::to_string(step.micro_batch->value) : text;
}

std::string to_text(const Action& action) {
  if (!action.is_overlap()) return to_text(action.first());
  return fmt::format("({};{}){}", to_text(action.steps()[0]), to_text(action.steps()[1]), kOverlap);
}

Action parse_action(std::string_view text) { return Parser(text).action(); }

}  // namespace frostline::pipeline
