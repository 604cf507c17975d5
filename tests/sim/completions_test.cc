#include "sim/completions.h"

#include <gtest/gtest.h>

namespace frostline::sim {
namespace {

using base::Duration;
using pipeline::ActionKind;
using pipeline::MicroBatch;
using pipeline::Step;

TEST(Completions, KnowOnlyWhatWasNoted) {
  Completions completions({2, 1, 3});
  const Step forward{ActionKind::kForward, {1}, MicroBatch{2}};
  const Step receive{ActionKind::kReceiveBackward, {1}, MicroBatch{2}};
  completions.note(forward, Duration(0));
  completions.note(receive, Duration(7));
  EXPECT_EQ(completions.find(forward), Duration(0));
  EXPECT_EQ(completions.find(receive), Duration(7));
  EXPECT_EQ(completions.find({ActionKind::kForward, {1}, MicroBatch{1}}), std::nullopt);
  EXPECT_EQ(completions.find({ActionKind::kForward, {0}, MicroBatch{2}}), std::nullopt);
}

}  // namespace
}  // namespace frostline::sim
