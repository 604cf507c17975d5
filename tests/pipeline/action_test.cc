#include "pipeline/action.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <climits>

#include "tests/pipeline/samples.h"

namespace frostline::pipeline {
namespace {

using testing::HasSubstr;

TEST(Action, HasTheTextOfPyTorch) {
  const StageId two{2};
  EXPECT_EQ(to_text(Action(ActionKind::kForward, two, MicroBatch{0})), "2F0");
  EXPECT_EQ(to_text(Action(ActionKind::kReceiveBackward, two, MicroBatch{13})), "2RECV_B13");
  EXPECT_EQ(to_text(Action(Step{ActionKind::kReduceGradient, two, std::nullopt})), "2REDUCE_GRAD");
  EXPECT_EQ(to_text(Action::overlap({ActionKind::kForward, {0}, MicroBatch{3}},
                                    {ActionKind::kBackward, {7}, MicroBatch{1}})),
            "(0F3;7B1)OVERLAP_F_B");
}

TEST(Action, EveryKindReadsBack) {
  for (const char* text : {"2F0", "0B7", "0I1", "1W2", "3SEND_F1", "0RECV_F2", "4SEND_B0",
                           "0RECV_B2", "1REDUCE_GRAD", "2UNSHARD", "3RESHARD",
                           "(0F3;7B1)OVERLAP_F_B", "(0F3;7I1)OVERLAP_F_B", "65535F2147483647"}) {
    EXPECT_EQ(to_text(parse_action(text)), text);
  }
}

TEST(Action, ErrorsSayWhatIsWrongAndWhatIsAllowed) {
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"", "the number of the stage is missing"},
      {"F0", "the number of the stage is missing"},
      {"-1F0", "the number of the stage is missing"},
      {"+1F0", "the number of the stage is missing"},
      {" 2F0", "the number of the stage is missing"},
      {"2F", "the number of the micro-batch is missing"},
      {"2F-1", "the number of the micro-batch is missing"},
      {"2F0 ", "' ' is left over"},
      {"2F0x", "'x' is left over"},
      {"2147483648F0", "the number of the stage is too large"},
      {"65536F0", "the number of the stage is above 65535"},
      {"2F99999999999999999999", "the number of the micro-batch is too large"},
      {"02F0", "needless 0"},
      {"2F00", "needless 0"},
      {"2Q0", "'Q' is not a kind of action"},
      {"2f0", "'' is not a kind of action"},
      {"2SEND0", "'SEND' is not a kind of action"},
      {"2FORWARD0", "'FORWARD' is not a kind of action"},
      {"1REDUCE_GRAD0", "REDUCE_GRAD has no micro-batch"},
      {"(0F3;7B1)", "ends in )OVERLAP_F_B"},
      {"(0F3;7B1", "ends in )OVERLAP_F_B"},
      {"(0F3)OVERLAP_F_B", "';' between"},
      {"(0B3;7F1)OVERLAP_F_B", "a forward and a backward"},
      {"(0F3;1UNSHARD)OVERLAP_F_B", "a forward and a backward"},
      {"(0F3;7B1)OVERLAP_F_B2", "'2' is left over"}};
  for (const auto& [text, why] : cases) {
    const std::string error = error_of([&] { parse_action(text); });
    EXPECT_THAT(error, HasSubstr("'" + text + "' is not an action: ")) << text;
    EXPECT_THAT(error, HasSubstr(why)) << text;
    EXPECT_THAT(error, HasSubstr("as in 2F0")) << text;
  }
}

TEST(Action, KindsAreTold) {
  EXPECT_TRUE(is_computation(ActionKind::kWeightGradient));
  EXPECT_FALSE(is_computation(ActionKind::kSendForward));
  EXPECT_FALSE(is_backward(ActionKind::kForward));
  EXPECT_TRUE(is_backward(ActionKind::kInputGradient));
  EXPECT_FALSE(is_backward(ActionKind::kSendBackward));
  EXPECT_TRUE(is_send(ActionKind::kSendBackward));
  EXPECT_TRUE(is_receive(ActionKind::kReceiveForward));
  EXPECT_FALSE(is_receive(ActionKind::kSendForward));
  EXPECT_FALSE(carries_micro_batch(ActionKind::kReduceGradient));
  EXPECT_TRUE(carries_micro_batch(ActionKind::kReceiveBackward));
  EXPECT_TRUE(is_computation(parse_action("(0F3;7B1)OVERLAP_F_B")));
}

int any_number(int bound) {
  return *rc::gen::oneOf(rc::gen::inRange(0, 20), rc::gen::inRange(0, bound));
}

Step any_step(ActionKind first, ActionKind last) {
  const auto kind = static_cast<ActionKind>(
      *rc::gen::inRange(static_cast<int>(first), static_cast<int>(last) + 1));
  Step step{kind, {any_number(Action::kMostStages)}, std::nullopt};
  if (carries_micro_batch(kind)) step.micro_batch = MicroBatch{any_number(INT_MAX)};
  return step;
}

Action any_action() {
  if (!*rc::gen::arbitrary<bool>()) {
    return Action(any_step(ActionKind::kForward, ActionKind::kReshard));
  }
  return Action::overlap(any_step(ActionKind::kForward, ActionKind::kForward),
                         any_step(ActionKind::kBackward, ActionKind::kWeightGradient));
}

RC_GTEST_PROP(ActionProperty, TextReadsBack, ()) {
  const Action action = any_action();
  RC_ASSERT(parse_action(to_text(action)) == action);
}

/// Whatever is accepted has one text only; whatever is not is an error that a user can read.
void check_text(const std::string& text) {
  const std::string error = error_of([&] { RC_ASSERT(to_text(parse_action(text)) == text); });
  RC_ASSERT(error.empty() || error.find("is not an action") != std::string::npos);
}

RC_GTEST_PROP(ActionProperty, GarbageIsAnError, (const std::string& text)) { check_text(text); }

RC_GTEST_PROP(ActionProperty, DamagedTextIsAnError, ()) {
  std::string text = to_text(any_action());
  const auto position = *rc::gen::inRange<std::size_t>(0, text.size());
  text[position] = *rc::gen::elementOf(std::string("0129FBIW_()-;SENDRCV"));
  check_text(text);
}

}  // namespace
}  // namespace frostline::pipeline
