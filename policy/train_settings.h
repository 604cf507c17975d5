#pragma once

#include <cstdint>
#include <string>

#include "base/section.h"
#include "pipeline/budget.h"

namespace frostline::policy {

/// [train]
struct TrainSettings {
  std::string budget = "steps";
  std::int64_t steps = 100;
  double time_s = 60;
  std::string clock = "wall";
  std::int64_t batch = 32;  ///< samples an optimizer step, over all micro-batches
  std::string optimizer = "adamw";
  double learning_rate = 1e-3;
  std::string schedule = "cosine";
  double warm_up = 0.05;             ///< share of the budget
  double final_learning_rate = 0.0;  ///< over the peak
  double momentum = 0.9;
  double beta1 = 0.9;
  double beta2 = 0.999;
  double epsilon = 1e-8;
  double weight_decay = 0.01;
  double clip_norm = 1.0;               ///< 0: off
  std::int64_t validate_every = 50;     ///< steps; 0: at the end alone
  double validate_share = 0.05;         ///< of the budget that validations may use up at most
  std::int64_t checkpoint_every = 200;  ///< steps; 0: at the end alone

  pipeline::Budget make_budget() const;
  pipeline::LearningRateRule make_rule() const;
};

const base::Section<TrainSettings>& train_section();

/// Notes a batch that the micro-batches do not divide, a judging step longer than the run, ...
void check_train(base::Document& document, const TrainSettings& settings,
                 std::int64_t micro_batches, std::int64_t judging_step);

}  // namespace frostline::policy
