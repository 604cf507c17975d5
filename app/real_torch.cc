#include "app/real.h"
#include "exec/profiler.h"
#include "exec/torch_world.h"
#include "models/torch/forecast_task.h"

namespace frostline::app {
namespace {

std::unique_ptr<models::LearningTask> make_task(const Scenario& scenario) {
  return models::make_forecast_task(scenario.model, scenario.data, scenario.seed(),
                                    static_cast<int>(scenario.train.batch));
}

class TorchTraining : public RealTraining {
 public:
  explicit TorchTraining(const Scenario& scenario)
      : task_(make_task(scenario)),
        world_(*task_, scenario.units, scenario.train, static_cast<int>(scenario.pipeline.ranks),
               scenario.seed()) {}

  pipeline::World& world() override { return world_; }
  void export_weights(const std::filesystem::path& file) override { world_.export_weights(file); }

 private:
  std::unique_ptr<models::LearningTask> task_;
  exec::TorchWorld world_;
};

}  // namespace

void require_libtorch(const char*) {}

std::unique_ptr<RealTraining> make_real_training(const Scenario& scenario) {
  return std::make_unique<TorchTraining>(scenario);
}

cost::Profile measure_profile(const Scenario& scenario, int repeats,
                              const std::function<void(double)>& progress) {
  const auto task = make_task(scenario);
  return exec::profile_task(*task, scenario.train, static_cast<int>(scenario.pipeline.ranks),
                            static_cast<int>(scenario.pipeline.micro_batches), repeats, progress);
}

}  // namespace frostline::app
