// The forecaster itself through the pipeline, at a small size, on a made-up load.

#include <gtest/gtest.h>

#include <cmath>
#include <fstream>

#include "exec/profiler.h"
#include "models/torch/forecast_task.h"
#include "tests/base/temporary_folder.h"
#include "tests/base/throws.h"
#include "tests/exec/pipeline_run.h"
#include "tests/exec/world_run.h"

namespace frostline::exec {
namespace {

constexpr int kBatch = 16;
constexpr int kHours = 24 * 7 * 12;

class Forecaster : public testing::Test {
 protected:
  Forecaster() {
    std::ofstream csv(folder_ / "load.csv");
    csv << "hour,1,2\n";
    for (int hour = 0; hour < kHours; ++hour) {
      const double day = std::sin(hour * 2 * 3.14159 / 24), week = std::cos(hour * 0.0374);
      csv << hour << ',' << 1000 + 200 * day + 90 * week << ',' << 500 + 50 * day - 20 * week
          << '\n';
    }
    csv.close();
    model_.kind = "forecaster";
    model_.blocks = 2;
    model_.width = 16;
    model_.heads = 2;
    model_.dropout = 0.1;
    data_.file = folder_ / "load.csv";
    data_.series = {"1", "2"};
    data_.context = 48;
    data_.validation_stride = 6;
    task_ = models::make_forecast_task(model_, data_, kSeed, kBatch);
    units_ = models::unit_table(task_->model(), models::UnitKind::kLayer);
  }

  base::TemporaryFolder folder_;
  models::ModelSettings model_;
  models::DataSettings data_;
  std::unique_ptr<models::LearningTask> task_;
  pipeline::UnitTable units_;
};

TEST_F(Forecaster, EqualsTheUnpipelinedModel) {
  for (const std::vector<int>& frozen : {std::vector<int>{}, {0}, {0, 1}, {1}}) {
    for (const int ranks : {1, 2, 4}) {
      const auto plan = plan_of(units_, {ranks, 1, 4}, frozen);
      const auto expected = reference_step(*task_, units_, plan.freeze, 1, 4);
      BuiltTeam built(*task_, units_, plan);
      built.accumulate(1);
      for (const auto& [name, gradient] : built.gradients()) {
        EXPECT_LE(difference(gradient, expected.gradients.at(name)), 1e-5) << name;
      }
    }
  }
}

TEST_F(Forecaster, LearnsTheSameBitsOnAnyNumberOfRanks) {
  const auto run = [&](int ranks) {
    TorchWorld world(*task_, units_, small_settings(), ranks, kSeed);
    const auto plan = plan_of(units_, {ranks, 1, 4}, {0});
    world.transition(plan);
    const double before = *world.validate(pipeline::Split::kTest).score;
    world.run_steps(plan, order_of(20));
    const double after = *world.validate(pipeline::Split::kTest).score;
    EXPECT_GT(after, before);
    EXPECT_LT(after, 0);
    return std::pair(weights_of(world), after);
  };
  const auto one = run(1);
  EXPECT_EQ(run(2), one);
  EXPECT_EQ(run(4), one);
}

TEST_F(Forecaster, StartsFromExportedWeights) {
  TorchWorld world(*task_, units_, small_settings(), 2, kSeed);
  const auto plan = plan_of(units_, {2, 1, 4}, {});
  world.transition(plan);
  world.run_steps(plan, order_of(3));
  world.export_weights(folder_ / "weights.safetensors");
  model_.weights = folder_ / "weights.safetensors";
  const auto task = models::make_forecast_task(model_, data_, kSeed + 1, kBatch);
  TorchWorld other(*task, units_, small_settings(), 1, kSeed);
  other.transition(plan_of(units_, {1, 1, 4}, {}));
  EXPECT_EQ(weights_of(other), weights_of(world));
}

TEST_F(Forecaster, RefusesWeightsOfAnotherModelAtOnce) {
  TorchWorld world(*task_, units_, small_settings(), 1, kSeed);
  world.transition(plan_of(units_, {1, 1, 1}, {}));
  world.export_weights(folder_ / "weights.safetensors");
  model_.weights = folder_ / "weights.safetensors";
  model_.width = 24;
  EXPECT_NE(base::message_of([&] {
              models::make_forecast_task(model_, data_, kSeed, kBatch);
            }).find("weights.safetensors"),
            std::string::npos);
}

TEST_F(Forecaster, RefusesBatchesThatDoNotFit) {
  EXPECT_EQ(
      base::message_of([&] { task_->training_batch(0, 0, 3); }),
      "train.batch = 16 does not divide into 3 micro-batches of equal size; use a multiple of 3");
  const auto message =
      base::message_of([&] { models::make_forecast_task(model_, data_, kSeed, 1 << 20); });
  EXPECT_EQ(message.rfind("train.batch = 1048576 is not possible with ", 0), 0u) << message;
}

TEST_F(Forecaster, MicroBatchesAreThePartsOfTheBatch) {
  const auto whole = task_->training_batch(7, 0, 1);
  for (int part = 0; part < 4; ++part) {
    const auto batch = task_->training_batch(7, part, 4);
    EXPECT_TRUE(same_bits(batch.context, whole.context.narrow(0, part * 4, 4)));
    EXPECT_TRUE(same_bits(batch.target, whole.target.narrow(0, part * 4, 4)));
  }
}

TEST_F(Forecaster, IsProfiled) {
  policy::TrainSettings settings = small_settings();
  settings.batch = kBatch;
  std::vector<double> progress;
  const auto profile =
      profile_task(*task_, settings, 2, 4, 3, [&](double share) { progress.push_back(share); });
  EXPECT_EQ(profile.layer_names, units_.layer_names);
  EXPECT_EQ(profile.micro_batch_size, 4);
  EXPECT_EQ(profile.ranks, 2);
  EXPECT_EQ(profile.repeats, 3);
  EXPECT_EQ(profile.device, "cpu");
  ASSERT_EQ(profile.cost.layers.size(), 4u);
  EXPECT_EQ(profile.cost.layers[1], profile.cost.layers[2]);  // blocks are alike
  EXPECT_EQ(profile.cost.layers[0].input_gradient_ns, 0);
  EXPECT_GT(profile.cost.layers[0].weight_gradient_ns, 0);
  for (const auto& layer : profile.cost.layers) {
    EXPECT_GT(layer.forward_ns, 0);
    EXPECT_GT(layer.forward_below_ns, 0);
    EXPECT_GT(layer.optimizer_ns, 0);
    EXPECT_GT(layer.activation.count, 0);
  }
  EXPECT_GT(profile.cost.layers[1].input_gradient_ns, 0);
  EXPECT_GT(profile.cost.step_ns, 0);
  EXPECT_GT(profile.cost.send_ns, 0);
  EXPECT_GT(profile.cost.validation_ns, 0);
  EXPECT_EQ(progress.back(), 1.0);
  EXPECT_TRUE(std::is_sorted(progress.begin(), progress.end()));
}

TEST_F(Forecaster, IsNotProfiledWithABatchThatDoesNotDivide) {
  policy::TrainSettings settings = small_settings();
  settings.batch = kBatch;
  EXPECT_EQ(base::message_of([&] { profile_task(*task_, settings, 1, 3, 1, [](double) {}); }),
            "train.batch = 16 does not divide into pipeline.micro_batches = 3 of equal size; use a "
            "multiple");
}

}  // namespace
}  // namespace frostline::exec
