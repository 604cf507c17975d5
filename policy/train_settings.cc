#include "policy/train_settings.h"

#include <fmt/format.h>

#include <array>
#include <cassert>
#include <utility>

#include "policy/policies/registry.h"

namespace frostline::policy {
namespace {

using base::above;
using base::at_least;
using base::between;
using base::Document;
using base::one_of;
using pipeline::Budget;
using pipeline::LearningRateRule;

constexpr std::array<std::pair<std::string_view, LearningRateRule::Shape>, 3> kShapes{
    {{"cosine", LearningRateRule::Shape::kCosine},
     {"linear", LearningRateRule::Shape::kLinear},
     {"constant", LearningRateRule::Shape::kConstant}}};

base::Allowed<double> decay() {
  return {
      "at least 0 and below 1", [](const double& value) { return value >= 0 && value < 1; }, {}};
}

using S = TrainSettings;
using TrainSection = base::Section<S>;

TrainSection with_budget_keys(TrainSection section) {
  return std::move(section)
      .key("budget", &S::budget, one_of({"steps", "time"}), "What ends the run: steps or time_s.")
      .key("steps", &S::steps, between(1, 1000000000), "Optimizer steps, for budget = \"steps\".")
      // Ten days: far below what a duration can hold.
      .key("time_s", &S::time_s, between(0.001, 864000.0),
           "Seconds on the run's clock, for budget = \"time\"; transitions, validations and "
           "checkpoints count.")
      .key("clock", &S::clock, one_of({"wall", "predicted"}),
           "The run's clock: the wall's, or what [cost] predicts for each step, which makes runs "
           "reproducible.")
      .key("batch", &S::batch, at_least(1),
           "Samples of one optimizer step, over all micro-batches.");
}

TrainSection with_optimizer_keys(TrainSection section) {
  return std::move(section)
      .key("optimizer", &S::optimizer, one_of({"adamw", "adam", "sgd"}), "What makes a step.")
      .key("learning_rate", &S::learning_rate, above(0.0), "The highest learning rate.")
      .key("schedule", &S::schedule, one_of({"cosine", "linear", "constant"}),
           "How the learning rate falls over the share of the budget that is used up.")
      .key("warm_up", &S::warm_up, between(0.0, 1.0),
           "Share of the budget over which the learning rate rises from 0.")
      .key("final_learning_rate", &S::final_learning_rate, between(0.0, 1.0),
           "Learning rate at the end over the highest.")
      .key("momentum", &S::momentum, decay(), "Of sgd.")
      .key("beta1", &S::beta1, decay(), "Of adam and adamw: decay of the first moment.")
      .key("beta2", &S::beta2, decay(), "Of adam and adamw: decay of the second moment.")
      .key("epsilon", &S::epsilon, above(0.0), "Of adam and adamw: added to the denominator.")
      .key("weight_decay", &S::weight_decay, at_least(0.0),
           "Decay of the weights: decoupled for adamw, added to the gradient otherwise.")
      .key("clip_norm", &S::clip_norm, at_least(0.0),
           "Gradients are scaled down to this norm over the whole model; 0: never.");
}

TrainSection with_interval_keys(TrainSection section) {
  return std::move(section)
      .key("validate_every", &S::validate_every, at_least(0),
           "Steps between two validations; 0: at the start and the end alone.")
      .key("validate_share", &S::validate_share, between(0.0, 1.0),
           "Share of a time budget that validations may use up at most; those at the start and the "
           "end take place in any case.")
      .key("checkpoint_every", &S::checkpoint_every, at_least(0),
           "Steps between two checkpoints; 0: at the end alone.");
}

std::string batches_around(std::int64_t batch, std::int64_t micro_batches) {
  const std::int64_t below = batch / micro_batches * micro_batches;
  if (below == 0) return fmt::format("{}", micro_batches);
  return fmt::format("{} or {}", below, below + micro_batches);
}

/// Without a model a batch has no samples to divide.
bool has_model(Document& document) {
  std::string kind;
  document.read("model.kind", kind);
  return !kind.empty();
}

void check_batch(Document& document, std::int64_t batch, std::int64_t micro_batches) {
  assert(micro_batches > 0);
  if (batch % micro_batches == 0) return;
  if (batch == TrainSettings{}.batch && !has_model(document)) return;
  document.problem("train.batch",
                   fmt::format("train.batch = {} is not a multiple of pipeline.micro_batches = {}; "
                               "use {}",
                               batch, micro_batches, batches_around(batch, micro_batches)));
}

/// Whether the document's policy judges; one that does not has no use for judging steps.
bool judges(Document& document) {
  std::string policy;
  document.read("freeze.policy", policy);
  for (const PolicyKind& kind : policy_kinds()) {
    if (kind.name == policy) return kind.judges;
  }
  return false;
}

void check_judging_step(Document& document, const TrainSettings& settings,
                        std::int64_t judging_step) {
  if (settings.budget != "steps" || judging_step <= settings.steps || !judges(document)) return;
  document.problem("freeze.judging_step",
                   fmt::format("freeze.judging_step = {} is longer than the run of train.steps = "
                               "{}: nothing would be judged; use at most {}",
                               judging_step, settings.steps, settings.steps));
}

/// The other budget's limit alone: whoever wrote it has most likely forgotten train.budget.
void check_limit(Document& document, const std::string& budget, const std::string& limit,
                 const std::string& other_budget, const std::string& other_limit) {
  const std::string other = "train." + other_limit;
  if (!document.has(other) || document.has("train." + limit)) return;
  document.problem(other, fmt::format("{} has no effect with train.budget = \"{}\"; give train.{}, "
                                      "or use budget = \"{}\"",
                                      other, budget, limit, other_budget));
}

}  // namespace

Budget TrainSettings::make_budget() const {
  Budget made;
  made.kind = budget == "time" ? Budget::Kind::kTime : Budget::Kind::kSteps;
  if (made.kind == Budget::Kind::kSteps) made.steps = steps;
  if (made.kind == Budget::Kind::kTime) made.time = base::from_ms(time_s * 1e3);
  return made;
}

LearningRateRule TrainSettings::make_rule() const {
  LearningRateRule rule;
  rule.peak = learning_rate;
  rule.warm_up = warm_up;
  rule.final_share = final_learning_rate;
  for (const auto& [word, shape] : kShapes) {
    if (word == schedule) rule.shape = shape;
  }
  return rule;
}

const TrainSection& train_section() {
  static const TrainSection kSection = with_interval_keys(with_optimizer_keys(
      with_budget_keys(TrainSection("train", "How long, with what and how fast is trained."))));
  return kSection;
}

void check_train(Document& document, const TrainSettings& settings, std::int64_t micro_batches,
                 std::int64_t judging_step) {
  check_batch(document, settings.batch, micro_batches);
  check_judging_step(document, settings, judging_step);
  if (settings.budget == "steps") check_limit(document, "steps", "steps", "time", "time_s");
  if (settings.budget == "time") check_limit(document, "time", "time_s", "steps", "steps");
}

}  // namespace frostline::policy
