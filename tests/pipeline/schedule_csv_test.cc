#include "pipeline/schedule_csv.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "base/file.h"
#include "pipeline/lower.h"
#include "pipeline/schedules/registry.h"
#include "tests/pipeline/samples.h"

namespace frostline::pipeline {
namespace {

Schedule parse(std::string_view text) { return parse_schedule_csv(text, "x.csv"); }

TEST(ScheduleCsv, ShapeAndPlacementFollowFromTheContent) {
  const Schedule schedule = parse("0F0,3F0,,3B0,0B0\r\n 1F0 ,2F0,,2I0,2W0,1B0\r\n");
  EXPECT_EQ(schedule.shape, (PipelineShape{2, 2, 1}));
  EXPECT_EQ(schedule.rank_of_stage, v_placement(2));
  EXPECT_EQ(to_text(schedule), "rank 0: 0F0 3F0 3B0 0B0\nrank 1: 1F0 2F0 2I0 2W0 1B0\n");
}

TEST(ScheduleCsv, AByteOrderMarkAndEmptyLinesAtTheEndMeanNothing) {
  EXPECT_EQ(to_text(parse("\xEF\xBB\xBF"
                          "0F0,0B0\n\n,,\n")),
            "rank 0: 0F0 0B0\n");
}

TEST(ScheduleCsv, IsWrittenAsItIsRead) {
  for (const auto& name : schedule_names()) {
    const ScheduleKind& kind = *find_schedule(name);
    for (const PipelineShape& shape : {PipelineShape{3, 1, 6}, PipelineShape{3, 2, 6}}) {
      if (kind.refuse(shape)) continue;
      for (const Schedule& schedule : {kind.make(shape), lower(kind.make(shape))}) {
        Schedule read = parse(to_csv(schedule));
        read.name = schedule.name;
        EXPECT_EQ(read, schedule);
      }
    }
  }
}

/// Every file with transfers that PyTorch wrote (see data/README.md) is sound, keeps its places and
/// comes back as it was, but for the line ends.
TEST(ScheduleCsv, PeerFilesWithTransfersRoundTrip) {
  for (const char* name :
       {"interleaved_1f1b", "looped_bfs", "interleaved_zb", "zb_v", "dualpipe_v"}) {
    const std::string file = fmt::format("{}/{}_2x2x4_comms.csv", DATA_DIR, name);
    std::string text = base::read_file(file);
    std::erase(text, '\r');
    const Schedule schedule = read_schedule_csv(file);
    EXPECT_EQ(schedule.name, fmt::format("file:{}_2x2x4_comms.csv", name));
    EXPECT_EQ(schedule.shape, (PipelineShape{2, 2, 4}));
    EXPECT_EQ(to_csv(schedule), text);
    EXPECT_EQ(lower(schedule), schedule);
  }
}

/// The transfers alone, each rank's in any order.
std::vector<std::string> sorted_transfers(const Schedule& schedule) {
  std::vector<std::string> texts = sorted_steps(schedule);
  std::erase_if(texts, [](const std::string& text) {
    const ActionKind kind = parse_action(text).first().kind;
    return !is_send(kind) && !is_receive(kind);
  });
  return texts;
}

TEST(ScheduleCsv, OurLoweringSendsWhatThePeerSends) {
  for (const char* name :
       {"interleaved_1f1b", "looped_bfs", "interleaved_zb", "zb_v", "dualpipe_v"}) {
    const Schedule peer = read_schedule_csv(fmt::format("{}/{}_2x2x4_comms.csv", DATA_DIR, name));
    EXPECT_EQ(sorted_transfers(peer), sorted_transfers(lower(make_schedule(name, {2, 2, 4}))));
  }
}

TEST(ScheduleCsv, AMissingFileIsSaid) {
  EXPECT_NE(error_of([] { read_schedule_csv("nowhere.csv"); }).find("nowhere.csv"),
            std::string::npos);
}

struct BrokenFile {
  std::string text;
  std::string error;
};

class BrokenCsv : public testing::TestWithParam<BrokenFile> {};

TEST_P(BrokenCsv, IsSaidWithItsPlace) {
  EXPECT_EQ(error_of([] { parse(GetParam().text); }), GetParam().error);
}

const char* const kForms =
    "; write a stage, one of F B I W SEND_F RECV_F SEND_B RECV_B and a micro-batch, as in 2F0; a "
    "stage and one of REDUCE_GRAD UNSHARD RESHARD; or a pair as in (0F3;7B1)OVERLAP_F_B";

INSTANTIATE_TEST_SUITE_P(
    Errors, BrokenCsv,
    testing::Values(
        BrokenFile{"", "x.csv: there are no actions; write one line a rank, as in 0F0,0F1,0B0,0B1"},
        BrokenFile{",,\n\n",
                   "x.csv: there are no actions; write one line a rank, as in 0F0,0F1,0B0,0B1"},
        BrokenFile{"0UNSHARD\n", "x.csv: there are no computations; give each stage its forwards"},
        BrokenFile{
            "0F0,0B0\n1F0, 1X0\n",
            std::string("x.csv:2:6: '1X0' is not an action: 'X' is not a kind of action") + kForms},
        BrokenFile{"0F0,0\x01\xFF\n",
                   std::string("x.csv:1:5: '0\?\?' is not an action: '' is not a kind of action") +
                       kForms},
        BrokenFile{"0F0," + std::string(100, '7') + "\n",
                   std::string("x.csv:1:5: '") + std::string(60, '7') +
                       "...' is not an action: the number of the stage is too large" + kForms},
        BrokenFile{"0F0,0F1,0F0\n", "x.csv:1:9: 0F0: 0F0 stands on rank 0 as action 0 already"},
        BrokenFile{"0F0,1F0\n1B0,0B0\n",
                   "x.csv:2:1: 1B0: stage 1 stands on rank 0 already (line 1, column 5), and here "
                   "on rank 1; a stage is on one rank"},
        BrokenFile{
            "0F0,0F1,0F2,0F3\n2F0,2F1,2F2,2F3\n",
            "x.csv: there is no action of stage 1, but there are stages up to 2; number them "
            "from 0 without a gap"},
        BrokenFile{
            "0F0\n\n1F0\n",
            "x.csv: rank 1 (line 2) holds 0 stages and rank 0 1; give every rank as many, at "
            "least 1"},
        BrokenFile{
            "0F0,1F0\n2F0\n",
            "x.csv: rank 1 (line 2) holds 1 stages and rank 0 2; give every rank as many, at "
            "least 1"},
        BrokenFile{"60000F0,60001F0\n",
                   "x.csv:1:9: 60001F0: the file has stages 0 to 60001 and "
                   "micro-batches 0 to 0, which is 60002 forwards, but 2 actions in all; "
                   "number both from 0 without a gap"},
        BrokenFile{"0F0,0F2147483647\n",
                   "x.csv:1:5: 0F2147483647: the file has stages 0 to 0 and micro-batches 0 to "
                   "2147483647, which is 2147483648 forwards, but 2 actions in all; number both "
                   "from 0 without a gap"},
        BrokenFile{"0F0,0F1\n1F0,1B0\n", "x.csv:2: rank 1: 1F1 is in no list"},
        BrokenFile{"0F0,0SEND_F0\n1F0\n",
                   "x.csv:1:5: 0SEND_F0: its receive 1RECV_F0 is in no list"},
        BrokenFile{"0F0,2F0\n3F0,1F0\n",
                   "x.csv: no order of execution satisfies all lines: rank 0 stands before 2F0: it "
                   "waits for 2RECV_F0, whose send 1SEND_F0 stands behind 3F0 on rank 1; rank 1 "
                   "stands before 3F0: it waits for 3RECV_F0, whose send 2SEND_F0 stands behind "
                   "2F0 on rank 0"}));

/// The late send alone makes this a cycle: as derived by `lower` the transfers would run.
TEST(ScheduleCsv, AHandPlacedSendCanMakeACycle) {
  EXPECT_EQ(parse("0F0,0SEND_F0,0RECV_B0,0B0\n1RECV_F0,1F0,1B0,1SEND_B0\n").shape.ranks, 2);
  EXPECT_NE(error_of([] {
              parse("0F0,0RECV_B0,0B0,0SEND_F0\n1RECV_F0,1F0,1B0,1SEND_B0\n");
            }).find("x.csv: no order of execution satisfies all lines: rank 0 stands before 0B0"),
            std::string::npos);
}

}  // namespace
}  // namespace frostline::pipeline
