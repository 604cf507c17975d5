#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "exec/training_step.h"
#include "models/torch/learning_task.h"
#include "pipeline/plan.h"
#include "policy/train_settings.h"

namespace frostline::exec {

using NamedTensors = std::map<std::string, at::Tensor>;

/// A plan over the even partition.
pipeline::Plan plan_with(const pipeline::UnitTable& units, const pipeline::PipelineShape& shape,
                         const pipeline::FreezePlan& freeze, const std::string& schedule = "1f1b");
/// The same with these units frozen in every micro-batch.
pipeline::Plan plan_of(const pipeline::UnitTable& units, const pipeline::PipelineShape& shape,
                       const std::vector<int>& frozen, const std::string& schedule = "1f1b");
pipeline::FreezeMask mask_of(const pipeline::UnitTable& units, const std::vector<int>& frozen);

/// What one training step computes.
struct StepOutcome {
  double loss = 0;
  std::vector<at::Tensor> outputs;  ///< one a micro-batch
  NamedTensors gradients;           ///< undefined where there is none
  NamedTensors buffers;
};

/// A team that has built a plan, for tests that look inside.
struct BuiltTeam {
  BuiltTeam(const models::LearningTask& task, const pipeline::UnitTable& units,
            const pipeline::Plan& plan, const policy::TrainSettings& settings = {});
  /// Every rank's part of a step up to its gradients.
  void accumulate(std::int64_t step);
  NamedTensors gradients() const;
  NamedTensors buffers() const;

  pipeline::Schedule schedule;
  Team team;
  StepReadings readings;
};

constexpr std::uint64_t kSeed = 5;

/// The model without a pipeline: every layer in turn, every micro-batch in turn, with what freezing
/// must mean spelled out anew.
StepOutcome reference_step(const models::LearningTask& task, const pipeline::UnitTable& units,
                           const pipeline::FreezePlan& freeze, std::int64_t step,
                           int micro_batches);

/// Largest |a - b| over the largest |b|; 0 for two undefined ones, infinite for one.
double difference(const at::Tensor& a, const at::Tensor& b);
bool same_bits(const at::Tensor& a, const at::Tensor& b);

}  // namespace frostline::exec
