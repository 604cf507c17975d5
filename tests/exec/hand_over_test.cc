#include "exec/hand_over.h"

#include <ATen/ops/full.h>
#include <gtest/gtest.h>

#include <chrono>
#include <thread>

namespace frostline::exec {
namespace {

using pipeline::ActionKind;
using pipeline::Step;

Step receive(ActionKind kind, int stage, int micro_batch) {
  return {kind, {stage}, pipeline::MicroBatch{micro_batch}};
}

at::Tensor tensor(int value) { return at::full({1}, value, at::kFloat); }

TEST(HandOver, GivesEachTagItsOwnTensorWhateverTheOrder) {
  HandOver hand_over;
  hand_over.put(receive(ActionKind::kReceiveForward, 2, 0), tensor(1));
  hand_over.put(receive(ActionKind::kReceiveBackward, 2, 0), tensor(2));
  hand_over.put(receive(ActionKind::kReceiveForward, 2, 1), tensor(3));
  hand_over.put(receive(ActionKind::kReceiveForward, 3, 0), tensor(4));
  const auto take = [&](ActionKind kind, int stage, int micro_batch) {
    return hand_over.take(receive(kind, stage, micro_batch)).item<int>();
  };
  EXPECT_EQ(take(ActionKind::kReceiveForward, 3, 0), 4);
  EXPECT_EQ(take(ActionKind::kReceiveForward, 2, 1), 3);
  EXPECT_EQ(take(ActionKind::kReceiveBackward, 2, 0), 2);
  EXPECT_EQ(take(ActionKind::kReceiveForward, 2, 0), 1);
}

TEST(HandOver, WaitsForWhatIsNotThereYet) {
  HandOver hand_over;
  std::thread sender([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
    hand_over.put(receive(ActionKind::kReceiveForward, 1, 0), tensor(7));
  });
  EXPECT_EQ(hand_over.take(receive(ActionKind::kReceiveForward, 1, 0)).item<int>(), 7);
  sender.join();
}

TEST(HandOver, EndsWaitingWhenAborted) {
  HandOver hand_over;
  std::thread failing([&] { hand_over.abort(); });
  EXPECT_THROW(hand_over.take(receive(ActionKind::kReceiveForward, 1, 0)), HandOver::Aborted);
  failing.join();
  EXPECT_THROW(hand_over.take(receive(ActionKind::kReceiveForward, 1, 0)), HandOver::Aborted);
}

}  // namespace
}  // namespace frostline::exec
