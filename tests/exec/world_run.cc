#include "tests/exec/world_run.h"

#include "tests/base/temporary_folder.h"

namespace frostline::exec {

policy::TrainSettings small_settings(const std::string& optimizer) {
  policy::TrainSettings settings;
  settings.optimizer = optimizer;
  settings.learning_rate = 0.01;
  settings.clip_norm = 0.1;
  return settings;
}

pipeline::Order order_of(int steps, const policy::TrainSettings& settings) {
  pipeline::Order order;
  order.steps = steps;
  order.learning_rate = {settings.learning_rate, pipeline::LearningRateRule::Shape::kConstant};
  order.budget = {pipeline::Budget::Kind::kSteps, 1000};
  order.statistics.change = pipeline::Change::kRelative;
  return order;
}

std::map<std::string, std::vector<std::byte>> weights_of(TorchWorld& world) {
  const base::TemporaryFolder folder;
  world.export_weights(folder / "weights.safetensors");
  std::map<std::string, std::vector<std::byte>> weights;
  for (auto& [name, blob] : base::read_safetensors(folder / "weights.safetensors").tensors) {
    weights[name] = std::move(blob.bytes);
  }
  return weights;
}

}  // namespace frostline::exec
