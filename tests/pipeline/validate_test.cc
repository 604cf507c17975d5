#include "pipeline/validate.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "pipeline/lower.h"
#include "pipeline/schedules/registry.h"
#include "tests/pipeline/samples.h"

namespace frostline::pipeline {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;

struct BrokenSchedule {
  std::string name;
  PipelineShape shape;
  std::vector<std::string> lines;
  std::vector<std::string> faults;  ///< all of them, in order
};

class Validate : public testing::TestWithParam<BrokenSchedule> {};

TEST_P(Validate, NamesRulePlaceAndReason) {
  std::vector<std::string> texts;
  for (const ScheduleFault& fault :
       find_faults(schedule_from(GetParam().shape, GetParam().lines))) {
    texts.push_back(fault.text());
  }
  EXPECT_EQ(texts, GetParam().faults);
}

std::string name_of(const testing::TestParamInfo<BrokenSchedule>& info) { return info.param.name; }

INSTANTIATE_TEST_SUITE_P(
    Lists, Validate,
    testing::Values(
        BrokenSchedule{
            "WrongRank",
            {2, 1, 1},
            {"0F0 0B0 1F0", "1F0 1B0"},
            {"rule 1, rank 0, action 2 (1F0): stage 1 is on rank 1",
             // Of the two the one in rank order comes first, so the right one is "twice".
             "rule 3, rank 1, action 0 (1F0): 1F0 stands on rank 0 as action 2 already"}},
        BrokenSchedule{"StageOutOfRange",
                       {1, 1, 1},
                       {"0F0 5F0 0B0"},
                       {"rule 2, rank 0, action 1 (5F0): the schedule has stages 0 to 0 and "
                        "micro-batches 0 to 0, of which the action names one"}},
        BrokenSchedule{"MicroBatchOutOfRange",
                       {1, 1, 2},
                       {"0F0 0F1 0F2"},
                       {"rule 2, rank 0, action 2 (0F2): the schedule has stages 0 to 0 and "
                        "micro-batches 0 to 1, of which the action names one"}},
        BrokenSchedule{"Duplicate",
                       {1, 1, 1},
                       {"0F0 0B0 0B0 0REDUCE_GRAD 0REDUCE_GRAD 0UNSHARD 0UNSHARD"},
                       {"rule 3, rank 0, action 2 (0B0): 0B0 stands on rank 0 as action 1 already",
                        "rule 3, rank 0, action 4 (0REDUCE_GRAD): 0REDUCE_GRAD stands on rank 0 as "
                        "action 3 already"}},
        BrokenSchedule{"MissingForward",
                       {2, 1, 2},
                       {"0F0 0F1", "1F0"},
                       {"rule 4, rank 1, the list's end: 1F1 is in no list"}},
        BrokenSchedule{"BackwardBeforeForward",
                       {1, 1, 1},
                       {"0B0 0F0"},
                       {"rule 5, rank 0, action 0 (0B0): its forward 0F0 must stand before it"}},
        BrokenSchedule{
            "WeightBeforeInputGradient",
            {1, 1, 1},
            {"0F0 0W0 0I0"},
            {"rule 5, rank 0, action 1 (0W0): its input gradient 0I0 must stand before it"}},
        BrokenSchedule{
            "WeightWithoutInputGradient",
            {1, 1, 1},
            {"0F0 0W0"},
            {"rule 5, rank 0, action 1 (0W0): its input gradient 0I0 must stand before it"}},
        BrokenSchedule{
            "BackwardOverlapsItsForward",
            {1, 1, 1},
            {"(0F0;0B0)OVERLAP_F_B"},
            {"rule 5, rank 0, action 0 ((0F0;0B0)OVERLAP_F_B): its forward 0F0 must stand "
             "before it"}},
        BrokenSchedule{
            "WholeAndSplitBackward",
            {1, 1, 1},
            {"0F0 0B0 0W0"},
            {"rule 6, rank 0, action 2 (0W0): 0B0 does the whole backward; use either it or "
             "I and W"}},
        BrokenSchedule{
            "GradientThatNobodyMakes",
            {2, 1, 1},
            {"0F0 0B0", "1F0"},
            {"rule 7, rank 0, action 1 (0B0): it needs the gradient of stage 1, which has "
             "no backward of micro-batch 0"}},
        BrokenSchedule{"SendWithoutReceive",
                       {2, 1, 1},
                       {"0F0 0SEND_F0", "1F0"},
                       {"rule 7, rank 0, action 1 (0SEND_F0): its receive 1RECV_F0 is in no list",
                        "rule 7, rank 1, action 0 (1F0): it needs 1RECV_F0, which is in no list"}},
        BrokenSchedule{"ReceiveWithoutSend",
                       {2, 1, 1},
                       {"0F0", "1RECV_F0 1F0"},
                       {"rule 7, rank 1, action 0 (1RECV_F0): its send 0SEND_F0 is in no list"}},
        BrokenSchedule{"SendPastTheEnd",
                       {1, 1, 1},
                       {"0F0 0SEND_F0"},
                       {"rule 7, rank 0, action 1 (0SEND_F0): there is no stage 1 to send to"}},
        BrokenSchedule{
            "ReceiveFromBeforeTheStart",
            {1, 1, 1},
            {"0RECV_F0 0F0"},
            {"rule 7, rank 0, action 0 (0RECV_F0): there is no stage -1 to receive from"}},
        BrokenSchedule{
            "ExchangeWithItself",
            {1, 2, 1},
            {"0F0 0SEND_F0 1RECV_F0 1F0"},
            {"rule 7, rank 0, action 1 (0SEND_F0): stages 0 and 1 are both on rank 0, which "
             "exchanges nothing with itself",
             "rule 7, rank 0, action 2 (1RECV_F0): stages 1 and 0 are both on rank 0, which "
             "exchanges nothing with itself"}},
        BrokenSchedule{
            "ReceiveTooLate",
            {2, 1, 1},
            {"0F0 0SEND_F0", "1F0 1RECV_F0"},
            {"rule 8, rank 1, action 1 (1RECV_F0): 1F0, which needs it, must stand after it"}},
        BrokenSchedule{
            "SendTooEarly",
            {2, 1, 1},
            {"0SEND_F0 0F0", "1RECV_F0 1F0"},
            {"rule 8, rank 0, action 0 (0SEND_F0): 0F0, whose result it sends, must stand "
             "before it"}},
        BrokenSchedule{
            "TransferOfNothing",
            {2, 1, 1},
            {"0F0 0SEND_F0 0RECV_B0", "1RECV_F0 1F0 1SEND_B0"},
            {"rule 8, rank 0, action 2 (0RECV_B0): it is for 0B0, which is in no list",
             "rule 8, rank 1, action 2 (1SEND_B0): it sends the result of 1B0, which is in "
             "no list"}},
        BrokenSchedule{
            "CycleBetweenRanks",
            {2, 1, 2},
            {"0F0 0B0 0F1 0B1", "1F0 1F1 1B0 1B1"},
            {"rule 9, rank 0, action 1 (0B0): it waits for 0RECV_B0, whose send 1SEND_B0 "
             "stands behind 1F1 on rank 1",
             "rule 9, rank 1, action 1 (1F1): it waits for 1RECV_F1, whose send 0SEND_F1 "
             "stands behind 0B0 on rank 0"}},
        BrokenSchedule{
            "CycleOnOneRank",
            {1, 2, 1},
            {"1F0 0F0"},
            {"rule 9, rank 0, action 0 (1F0): it waits for 0F0, which stands behind 1F0 on "
             "rank 0"}}),
    name_of);

TEST(ValidateShape, ListsAndPlacementMustFitTheShape) {
  Schedule schedule = make_schedule("gpipe", {2, 1, 1});
  schedule.actions.pop_back();
  EXPECT_EQ(find_faults(schedule).at(0).what, "1 lists of actions for 2 ranks");
  schedule = make_schedule("gpipe", {2, 1, 1});
  schedule.rank_of_stage.pop_back();
  EXPECT_EQ(find_faults(schedule).at(0).what, "1 stages have a rank, but there are 2");
  schedule.rank_of_stage.push_back({2});
  EXPECT_EQ(find_faults(schedule).at(0).what, "a stage is on rank 2 of 2 ranks");
  schedule.shape.micro_batches = 0;
  EXPECT_EQ(find_faults(schedule).at(0).what,
            "ranks = 2, chunks = 1, micro_batches = 0; use at least 1 of each");
}

TEST(ValidateShape, AStepMustHaveAMicroBatchExactlyIfItsKindHas) {
  Schedule schedule = schedule_from({1, 1, 1}, {"0F0"});
  schedule.actions[0].emplace_back(Step{ActionKind::kBackward, {0}, std::nullopt});
  schedule.actions[0].emplace_back(Step{ActionKind::kUnshard, {0}, MicroBatch{0}});
  const auto faults = find_faults(schedule);
  ASSERT_EQ(faults.size(), 2u);
  EXPECT_EQ(faults[0].rule, ScheduleRule::kOutOfRange);
  EXPECT_THAT(faults[1].text(), HasSubstr("of which this kind names none"));
}

TEST(ValidateSound, WithAndWithoutTransfersAndBackwards) {
  for (const auto& schedule :
       {schedule_from({2, 1, 1}, {"0F0", "1F0"}), schedule_from({2, 1, 1}, {"0F0", "1F0 1B0"}),
        schedule_from({2, 1, 1}, {"0F0 0I0", "1F0 1B0"}), breadth_first({2, 3, 2}),
        split_backward(make_schedule("1f1b", {3, 1, 4})),
        schedule_from({2, 1, 2}, {"0F0 0F1 0B0 0B1", "1F0 (1F1;1B0)OVERLAP_F_B 1B1"})}) {
    EXPECT_THAT(find_faults(schedule), IsEmpty()) << to_text(schedule);
    EXPECT_THAT(find_faults(lower(schedule)), IsEmpty()) << to_text(schedule);
  }
}

TEST(ShowFault, MarksThePlaceInTheGrid) {
  const Schedule schedule = schedule_from({2, 1, 1}, {"0F0 0B0", "1F0 1B0 1B0"});
  EXPECT_EQ(show_fault(schedule, find_faults(schedule).at(0)),
            "rank 0: 0F0 0B0\n"
            "rank 1: 1F0 1B0 [1B0]  <-- rule 3: 1B0 stands on rank 1 as action 1 already\n");
}

TEST(ShowFault, MarksTheLineOfWhatIsMissing) {
  const Schedule schedule = schedule_from({2, 1, 1}, {"0F0", ""});
  EXPECT_EQ(show_fault(schedule, find_faults(schedule).at(0)),
            "rank 0: 0F0\n"
            "rank 1:  <-- rule 4: 1F0 is in no list\n");
}

TEST(ValidateError, HasTheFirstFaultAndItsGrid) {
  EXPECT_EQ(error_of([] { validate(schedule_from({1, 1, 2}, {"0B0 0F0 0B1 0F1"})); }),
            "schedule 'sample' is not sound: rule 5, rank 0, action 0 (0B0): its forward 0F0 must "
            "stand before it\n"
            "rank 0: [0B0] 0F0 0B1 0F1  <-- rule 5: its forward 0F0 must stand before it\n");
  EXPECT_EQ(error_of([] { validate(make_schedule("1f1b", {3, 1, 2})); }), "");
}

}  // namespace
}  // namespace frostline::pipeline
