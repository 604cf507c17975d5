#include "exec/checkpoint.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/base/temporary_folder.h"
#include "tests/base/throws.h"
#include "tests/exec/chain_task.h"
#include "tests/exec/pipeline_run.h"
#include "tests/exec/world_run.h"

namespace frostline::exec {
namespace {

using testing::HasSubstr;

struct Chain {
  ChainTask task{{.layers = 6, .normalised = 2}};
  pipeline::UnitTable units = models::unit_table(task.model(), models::UnitKind::kLayer);

  std::unique_ptr<TorchWorld> world(int ranks, const policy::TrainSettings& settings) const {
    return std::make_unique<TorchWorld>(task, units, settings, ranks, kSeed);
  }
  pipeline::Plan plan(int ranks) const { return plan_of(units, {ranks, 1, 4}, {0, 4}); }
};

/// A judging step of ten, of which this is a part.
pipeline::Order part(int steps, bool begins, bool ends, pipeline::Change change) {
  auto order = order_of(steps);
  order.statistics = {{{1}, {2}, {3}, {5}}, change, 0.2};
  order.begins_judging_step = begins;
  order.ends_judging_step = ends;
  return order;
}

struct End {
  std::map<std::string, std::vector<std::byte>> weights;
  std::vector<std::tuple<double, double, double, bool>> statistics;
  double loss;
  std::int64_t number;

  friend bool operator==(const End&, const End&) = default;
};

End end_of(TorchWorld& world, const pipeline::Report& report) {
  End end{weights_of(world), {}, *report.steps.back().loss, report.steps.back().number};
  for (const auto& unit : report.statistics) {
    end.statistics.emplace_back(unit.mean_gradient, unit.small_changes, unit.change, unit.finite);
  }
  return end;
}

End uninterrupted(const Chain& chain, const std::string& optimizer, pipeline::Change change) {
  const auto world = chain.world(1, small_settings(optimizer));
  world->transition(chain.plan(1));
  return end_of(*world, world->run_steps(chain.plan(1), part(10, true, true, change)));
}

/// Saved after four steps, in the middle of a judging step, on one number of ranks, and resumed on
/// another.
End resumed(const Chain& chain, const std::string& optimizer, pipeline::Change change, int before,
            int after) {
  const base::TemporaryFolder folder;
  {
    const auto world = chain.world(before, small_settings(optimizer));
    world->transition(chain.plan(before));
    world->run_steps(chain.plan(before), part(4, true, false, change));
    world->save(folder / "checkpoint", "the loop's state");
  }
  const auto world = chain.world(after, small_settings(optimizer));
  EXPECT_EQ(world->load(folder / "checkpoint"), "the loop's state");
  world->transition(chain.plan(after));
  return end_of(*world, world->run_steps(chain.plan(after), part(6, false, true, change)));
}

TEST(Checkpoint, AResumedRunEqualsAnUninterruptedOneBitwise) {
  const Chain chain;
  for (const std::string optimizer : {"sgd", "adam", "adamw"}) {
    for (const auto change :
         {pipeline::Change::kRelative, pipeline::Change::kCommon, pipeline::Change::kDrift}) {
      const End expected = uninterrupted(chain, optimizer, change);
      EXPECT_EQ(expected.statistics.size(), 4u);
      EXPECT_EQ(expected.number, 10);
      EXPECT_EQ(resumed(chain, optimizer, change, 1, 1), expected) << optimizer;
      EXPECT_EQ(resumed(chain, optimizer, change, 1, 2), expected) << optimizer;
      EXPECT_EQ(resumed(chain, optimizer, change, 3, 2), expected) << optimizer;
    }
  }
}

/// A checkpoint file, and its contents to spoil.
class BrokenCheckpoint : public testing::Test {
 protected:
  BrokenCheckpoint() {
    const auto world = chain_.world(2, small_settings());
    world->transition(chain_.plan(2));
    world->run_steps(chain_.plan(2), order_of(1));
    world->save(path_, "");
    world->export_weights(folder_ / "weights");
    file_ = base::read_safetensors(path_);
  }

  std::string message(const policy::TrainSettings& settings = small_settings()) {
    base::write_safetensors(path_, file_);
    return base::message_of([&] { chain_.world(2, settings)->load(path_); });
  }

  Chain chain_;
  base::TemporaryFolder folder_;
  std::filesystem::path path_ = folder_ / "checkpoint";
  base::TensorFile file_;
};

TEST_F(BrokenCheckpoint, HoldsFrozenWeightsAndIsFineAsItIs) {
  EXPECT_TRUE(file_.tensors.contains("dense.0.weight"));
  EXPECT_TRUE(file_.tensors.contains("dense.2.running_mean"));
  EXPECT_TRUE(file_.tensors.contains("optimizer.first_moment.dense.1.weight"));
  EXPECT_FALSE(file_.tensors.contains("optimizer.first_moment.dense.0.weight"));
  EXPECT_EQ(file_.metadata.at("kind"), "frostline-checkpoint");
  EXPECT_EQ(file_.metadata.at("world"), "torch");
  EXPECT_EQ(file_.metadata.at("steps"), "1");
  EXPECT_EQ(message(), "");
}

TEST_F(BrokenCheckpoint, OfAnotherModelIsRefused) {
  file_.metadata["model"] = "gpt";
  EXPECT_THAT(message(), HasSubstr("made with model.kind = gpt, this run has chain; resume with"));
}

TEST_F(BrokenCheckpoint, OfAnotherOptimizerIsRefused) {
  EXPECT_THAT(message(small_settings("sgd")),
              HasSubstr("made with train.optimizer = adamw, this run has sgd"));
}

TEST_F(BrokenCheckpoint, OfAnotherSeedIsRefused) {
  file_.metadata["seed"] = "6";
  EXPECT_THAT(message(), HasSubstr("made with seed = 6, this run has 5"));
}

TEST_F(BrokenCheckpoint, OfASimulatedRunIsRefused) {
  file_.metadata["world"] = "event";
  EXPECT_THAT(message(), HasSubstr("is the checkpoint of a simulated run"));
}

TEST_F(BrokenCheckpoint, WeightsAloneAreRefused) {
  file_ = base::read_safetensors(folder_ / "weights");
  EXPECT_THAT(message(), HasSubstr("holds weights alone, not a run"));
  file_.metadata.clear();
  EXPECT_THAT(message(), HasSubstr("is not a checkpoint"));
}

TEST_F(BrokenCheckpoint, WithoutAWeightIsRefused) {
  file_.tensors.erase("dense.3.bias");
  EXPECT_THAT(message(), HasSubstr("'dense.3.bias'"));
}

TEST_F(BrokenCheckpoint, WithAWeightOfAnotherShapeIsRefused) {
  file_.tensors["dense.3.bias"].shape = {7, 1};
  EXPECT_THAT(message(), HasSubstr("'dense.3.bias'"));
}

TEST_F(BrokenCheckpoint, WithHalfOfAnOptimizersStateIsRefused) {
  file_.tensors.erase("optimizer.steps.dense.3.bias");
  EXPECT_THAT(message(), HasSubstr("there is no tensor 'optimizer.steps.dense.3.bias'"));
}

TEST_F(BrokenCheckpoint, WithTensorsOfAnotherModelIsRefused) {
  file_.tensors["dense.6.bias"] = file_.tensors["dense.3.bias"];
  EXPECT_THAT(message(), HasSubstr("tensor 'dense.6.bias' is not one of this run's model"));
}

TEST_F(BrokenCheckpoint, WithoutItsMetadataIsRefused) {
  file_.metadata.erase("ledger");
  EXPECT_THAT(message(), HasSubstr("metadata lack 'ledger'"));
  file_.metadata["ledger"] = "{}";
  file_.metadata["steps"] = "many";
  EXPECT_THAT(message(), HasSubstr("steps = 'many', which is no number"));
}

}  // namespace
}  // namespace frostline::exec
