#include "tests/exec/pipeline_run.h"

#include <ATen/TensorOperators.h>
#include <ATen/core/grad_mode.h>

#include <cstring>
#include <limits>

#include "models/torch/weights.h"
#include "pipeline/rewrite.h"
#include "pipeline/schedules/registry.h"

namespace frostline::exec {

using base::LayerId;
using base::MicroBatch;
using base::UnitId;

pipeline::FreezeMask mask_of(const pipeline::UnitTable& units, const std::vector<int>& frozen) {
  pipeline::FreezeMask mask(units.size());
  for (const int unit : frozen) mask.freeze({unit});
  return mask;
}

pipeline::Plan plan_with(const pipeline::UnitTable& units, const pipeline::PipelineShape& shape,
                         const pipeline::FreezePlan& freeze, const std::string& schedule) {
  return {pipeline::make_schedule(schedule, shape),
          pipeline::Partition::even(units.layers(), shape.stages()), freeze,
          pipeline::Cut::kPrefix};
}

pipeline::Plan plan_of(const pipeline::UnitTable& units, const pipeline::PipelineShape& shape,
                       const std::vector<int>& frozen, const std::string& schedule) {
  return plan_with(units, shape, pipeline::FreezePlan(mask_of(units, frozen)), schedule);
}

BuiltTeam::BuiltTeam(const models::LearningTask& task, const pipeline::UnitTable& units,
                     const pipeline::Plan& plan, const policy::TrainSettings& settings)
    : schedule(pipeline::executable_schedule(plan, units)), team(plan.schedule->shape.ranks) {
  team.build([&](pipeline::Rank rank) {
    return std::make_unique<Worker>(task, units, settings, plan, rank, team.hand_over(), kSeed);
  });
}

void BuiltTeam::accumulate(std::int64_t step) {
  team.run([&](pipeline::Rank rank, Worker& worker) {
    worker.accumulate(step, schedule.actions.at(rank.index()), readings);
  });
}

NamedTensors BuiltTeam::gradients() const {
  NamedTensors gradients;
  for (const auto& worker : team.workers()) {
    for (const Parameter& parameter : worker->stage().parameters()) {
      gradients[parameter.name] = parameter.tensor.grad();
    }
  }
  return gradients;
}

NamedTensors BuiltTeam::buffers() const {
  NamedTensors buffers;
  for (const auto& worker : team.workers()) {
    for (const auto& placed : worker->stage().layers()) {
      for (const auto& [name, tensor] : placed.layer->buffers()) buffers[name] = tensor;
    }
  }
  return buffers;
}

namespace {

bool is_frozen(const pipeline::UnitTable& units, const pipeline::FreezeMask& mask,
               const std::string& tensor) {
  for (const auto unit : base::ids<UnitId>(units.size())) {
    for (const std::string& name : units.units[unit.index()].tensors) {
      if (name == tensor) return mask.frozen(unit);
    }
  }
  return false;
}

bool all_frozen(const pipeline::UnitTable& units, const pipeline::FreezeMask& mask, LayerId layer) {
  for (const UnitId unit : units.units_of(layer)) {
    if (!mask.frozen(unit)) return false;
  }
  return true;
}

void set_mask(const std::vector<std::unique_ptr<models::TorchLayer>>& layers,
              const pipeline::UnitTable& units, const pipeline::FreezeMask& mask) {
  for (const auto& layer : layers) {
    for (const auto& [name, tensor] : layer->parameters()) {
      tensor.set_requires_grad(!is_frozen(units, mask, name));
    }
  }
}

}  // namespace

StepOutcome reference_step(const models::LearningTask& task, const pipeline::UnitTable& units,
                           const pipeline::FreezePlan& freeze, std::int64_t step,
                           int micro_batches) {
  auto layers = task.build_layers({0}, {units.layers()});
  StepOutcome outcome;
  for (const auto micro_batch : base::ids<MicroBatch>(micro_batches)) {
    const auto& mask = freeze.mask(micro_batch);
    const int line = pipeline::frost_line(units, mask);
    set_mask(layers, units, mask);
    const auto batch = task.training_batch(step, micro_batch.value, micro_batches);
    at::Tensor hidden;
    for (const auto layer : base::ids<LayerId>(units.layers())) {
      const bool above = layer.value >= line;
      const at::AutoGradMode mode(above);
      const bool statistics = above && !all_frozen(units, mask, layer);
      hidden = layers[layer.index()]->forward(hidden, batch,
                                              {kSeed, step, micro_batch.value, above, statistics});
    }
    const at::Tensor loss = task.loss(hidden, batch);
    outcome.loss += loss.item<double>() / micro_batches;
    outcome.outputs.push_back(hidden.detach());
    if (line < units.layers()) (loss / micro_batches).backward();
  }
  for (const auto& layer : layers) {
    for (const auto& [name, tensor] : layer->parameters()) outcome.gradients[name] = tensor.grad();
    for (const auto& [name, tensor] : layer->buffers()) outcome.buffers[name] = tensor;
  }
  return outcome;
}

double difference(const at::Tensor& a, const at::Tensor& b) {
  if (!a.defined() && !b.defined()) return 0;
  if (!a.defined() || !b.defined()) return std::numeric_limits<double>::infinity();
  const double scale = std::max(b.abs().max().item<double>(), 1e-30);
  return (a.detach() - b.detach()).abs().max().item<double>() / scale;
}

bool same_bits(const at::Tensor& a, const at::Tensor& b) {
  if (!a.defined() || !b.defined()) return !a.defined() && !b.defined();
  return models::to_blob(a).bytes == models::to_blob(b).bytes;
}

}  // namespace frostline::exec
